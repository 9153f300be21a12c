// model_file.h: the parts of a model in a file, each checked as it is read; loading fails with SFNEC_ERROR_FORMAT or
// _MEMORY. (model_file.c puts them together.)
#ifndef SFNEC_AGENT_PLAN_MODEL_FILE_H
#define SFNEC_AGENT_PLAN_MODEL_FILE_H

#include "agent/plan/model.h"
#include "base/file.h"

void sfnec_scaling_save_readings(const sfnec_scaling *scaling, sfnec_writer *writer);
sfnec_status sfnec_scaling_load_readings(sfnec_scaling *scaling, sfnec_reader *reader);
void sfnec_scaling_save(const sfnec_scaling *scaling, sfnec_writer *writer);
sfnec_status sfnec_scaling_load(sfnec_scaling *scaling, bool fitted, sfnec_reader *reader);
void sfnec_prediction_save(const sfnec_model *model, size_t at, sfnec_writer *writer);
sfnec_status sfnec_prediction_load(sfnec_model *model, size_t at, sfnec_reader *reader);

#endif
