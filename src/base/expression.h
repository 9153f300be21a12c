// expression.h: arithmetic in a small safe language, such as a reward that somebody wrote in a spec or on a command
// line:
//
//   1 if goal else -0.1 - 0.5 * (distance < 0.3)
//
// The grammar is Python's, of numbers alone: + - * / **, comparisons (also chains: 0 < x < 1), and, or, not,
// `a if c else b`, names, names with a number in brackets (phi[2]), and the functions abs, min, max, sqrt, exp, log,
// floor. Truth is 1, falsehood 0; what is not 0 is true. The text is compiled to a bounded program for a stack machine:
// no loops, no calls, no memory, so that a text of a stranger's costs at most its length. Both branches of a condition
// are computed, and one is taken.
#ifndef SFNEC_BASE_EXPRESSION_H
#define SFNEC_BASE_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

// The longest text, and the deepest nesting.
enum { SFNEC_EXPRESSION_TEXT = 4096, SFNEC_EXPRESSION_DEPTH = 64 };

typedef struct sfnec_expression sfnec_expression;

// What a name stands for. `name` has `length` bytes and an index in brackets, or -1. Writes the number of a variable,
// or fails with a sentence that says which names there are.
typedef sfnec_status sfnec_expression_resolver(void *context, const char *name, size_t length, int64_t index,
                                               uint32_t *variable);
// The value of a variable.
typedef double sfnec_expression_reader(const void *context, uint32_t variable);

// Compiles a text. Fails with SFNEC_ERROR_OPTION and a sentence that says where it is wrong, with what the resolver
// returns, and with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_expression_parse(const char *text, sfnec_expression_resolver *resolve, void *context,
                                    sfnec_expression **out);
void sfnec_expression_destroy(sfnec_expression *expression); // NULL is fine

// Its value; arithmetic that has no result (1 / 0, log(-1)) yields what C's does.
double sfnec_expression_evaluate(const sfnec_expression *expression, sfnec_expression_reader *read,
                                 const void *context);

#endif
