// python.c: workers that are Python processes; see python.h.
#include "study/work/python.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define NO_JOB UINT32_MAX // more than an enumerator holds

// a process that was asked to stop gets so long; its job cannot be saved, so little is lost
static const double stop_patience = 10;

typedef struct process {
  pid_t pid; // 0: it has ended, or could not be started
  int socket;
  bool over;        // it was waited for; what it sent before may still be in the socket
  int status;       // and this is how it ended
  uint32_t job;     // NO_JOB: it is free
  char ending[400]; // how it ended, in a sentence
} process;

struct sfnec_python {
  sfnec_workers base;
  sfnec_gym_host host;
  char *request;  // the world, as the first process was asked; NULL: none was
  process *items; // (count)
  uint32_t count;
  const sfnec_plan *plan;
  unsigned char *study; // the message that describes the study to each process
  size_t study_size;
  uint32_t next; // where to look for news first, so that nobody waits for ever
  bool stopping;
  double stopped_at;
};

// ---- the study as bytes ----

sfnec_status sfnec_python_study_pack(const sfnec_python_study *study, unsigned char **bytes, size_t *size) {
  sfnec_writer *writer;
  const sfnec_status status = sfnec_writer_open_memory(NULL, 0, &writer);
  if (status) return status;
  sfnec_write_text(writer, study->folder);
  sfnec_write_text(writer, study->agent_path);
  sfnec_write_text(writer, study->log_path);
  sfnec_write_text(writer, study->spec);
  sfnec_write_f64(writer, study->checkpoint_seconds);
  return sfnec_writer_take(writer, bytes, size);
}

void sfnec_python_study_clear(sfnec_python_study *study) {
  free((void *)study->folder);
  free((void *)study->agent_path);
  free((void *)study->log_path);
  free((void *)study->spec);
}

sfnec_status sfnec_python_study_unpack(const unsigned char *bytes, size_t size, sfnec_python_study *study) {
  sfnec_reader *reader = NULL;
  *study = (sfnec_python_study){0};
  sfnec_status status = sfnec_reader_open_memory(bytes, size, NULL, 0, "a study", &reader);
  if (status) return status;
  study->folder = sfnec_read_text(reader, SIZE_MAX);
  study->agent_path = sfnec_read_text(reader, SIZE_MAX);
  study->log_path = sfnec_read_text(reader, SIZE_MAX);
  study->spec = sfnec_read_text(reader, SIZE_MAX);
  study->checkpoint_seconds = sfnec_read_f64(reader);
  if (!study->folder || !study->agent_path || !study->log_path || !study->spec || !sfnec_reader_good(reader))
    status = sfnec_reader_refuse(reader, "it is not whole");
  sfnec_reader_close(reader);
  if (status) sfnec_python_study_clear(study);
  return status;
}

// ---- a process ----

// the Python of the environment variable, or the one beside this program; else whatever the PATH has
static void find_python(char *path, size_t size) {
  const char *named = getenv("SFNEC_PYTHON");
  snprintf(path, size, "%s", named ? named : "");
  if (path[0]) return;
  const ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  if (slash) snprintf(slash, size - (size_t)(slash - path), "/python3");
  if (!slash || access(path, X_OK)) snprintf(path, size, "python3");
}

// the child's side of a fork: only what is safe there
static _Noreturn void become_python(const char *path, int socket, const char *number) {
  // the parent says when to end, by the socket
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  fcntl(socket, F_SETFD, 0);
  // a world that prints does not spoil a table, and one that reads gets nothing
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  // with -c a Python looks into the current folder first, which may be a stranger's
  static const char program[] = "import sys\n"
                                "sys.path[:] = [path for path in sys.path if path]\n"
                                "try:\n"
                                "    from sfnec import _worker\n"
                                "except ImportError as error:\n"
                                "    sys.exit(f'{sys.executable}: {error}')\n"
                                "_worker.main()\n";
  execlp(path, path, "-c", program, number, (char *)NULL);
  _exit(127);
}

static sfnec_status start(process *process) {
  int ends[2];
  char path[4096], number[16];
  find_python(path, sizeof path);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return sfnec_fail(SFNEC_ERROR_STATE, "cannot make a socket: %s", strerror(errno));
  snprintf(number, sizeof number, "%d", ends[1]);
  const pid_t pid = fork();
  if (pid == 0) become_python(path, ends[1], number);
  const int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return sfnec_fail(SFNEC_ERROR_STATE, "cannot start %s: %s", path, strerror(error));
  }
  *process = (struct process){.pid = pid, .socket = ends[0], .job = NO_JOB};
  return SFNEC_OK;
}

// Is the process alive? Its socket cannot show this: a process that its environment forked holds the other end.
static bool alive(void *context) {
  process *process = context;
  if (!process->over) process->over = waitpid(process->pid, &process->status, WNOHANG) != 0;
  return !process->over;
}

static bool say(process *process, sfnec_frame_tag tag, const void *bytes, size_t size) {
  return sfnec_frame_send(process->socket, tag, bytes, size, alive, process);
}

// waits for a process that is to end, and ends it if it does not
static void end(process *process, double seconds) {
  const double until = sfnec_seconds() + seconds;
  close(process->socket);
  while (alive(process)) {
    if (sfnec_seconds() >= until) kill(process->pid, SIGKILL);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  const int status = process->status;
  process->pid = 0;
  const bool killed = WIFSIGNALED(status);
  snprintf(process->ending, sizeof process->ending, "the Python process of a world ended by %s %d",
           killed ? "signal" : "itself, with status", killed ? WTERMSIG(status) : WEXITSTATUS(status));
}

// ---- describing ----

// of a process that ended without an answer
static sfnec_status refuse_python(process *process) {
  char path[4096];
  find_python(path, sizeof path);
  end(process, 5);
  return sfnec_fail(SFNEC_ERROR_OPTION,
                    "%.300s makes no worlds of Gymnasium: that needs a Python with the packages sfnec and gymnasium "
                    "(SFNEC_PYTHON names another one)",
                    path);
}

sfnec_status sfnec_python_read_answer(sfnec_frame_tag tag, unsigned char *bytes, size_t size, sfnec_env_shape *shape) {
  int32_t numbers[8];         // sizes, and those of the picture
  char *text = (char *)bytes; // a frame ends with a NUL
  if (tag == SFNEC_FRAME_REFUSED && *text) {
    sfnec_text_clean(text);
    return sfnec_fail(SFNEC_ERROR_OPTION, "%s", text);
  }
  if (tag != SFNEC_FRAME_SHAPE || size <= sizeof numbers)
    return sfnec_fail(SFNEC_ERROR_OPTION, "the Python process of a world gave no answer that this command knows");
  char *version = text + sizeof numbers; // of the package
  if (strcmp(version, sfnec_version()) != 0) {
    sfnec_text_clean(version);
    return sfnec_fail(SFNEC_ERROR_OPTION, "the Python package sfnec has version %.20s, but this command has %s",
                      version, sfnec_version());
  }
  memcpy(numbers, bytes, sizeof numbers);
  *shape = (sfnec_env_shape){.observation_size = numbers[0],
                             .action_count = numbers[1],
                             .feature_count = numbers[2],
                             .picture = {.frames = numbers[3],
                                         .height = numbers[4],
                                         .width = numbers[5],
                                         .channels = numbers[6],
                                         .levels = numbers[7]}};
  return SFNEC_OK;
}

static sfnec_status ask(process *process, const char *request, sfnec_env_shape *shape) {
  sfnec_frame_tag tag;
  unsigned char *bytes = NULL;
  size_t size;
  enum { MOST = 1 << 20 }; // a shape, or a sentence
  if (!say(process, SFNEC_FRAME_DESCRIBE, request, strlen(request)) ||
      !sfnec_frame_receive(process->socket, MOST, alive, process, &tag, &bytes, &size)) {
    return refuse_python(process);
  }
  const sfnec_status status = sfnec_python_read_answer(tag, bytes, size, shape);
  free(bytes);
  return status;
}

// a process that knows the world
static sfnec_status start_and_ask(const sfnec_python *python, process *process, sfnec_env_shape *shape) {
  sfnec_status status = start(process);
  if (!status) status = ask(process, python->request, shape);
  if (status && process->pid) end(process, 1);
  return status;
}

static sfnec_status describe(void *context, const char *request, sfnec_env_shape *shape) {
  sfnec_python *python = context;
  if (python->count) end(&python->items[--python->count], 1);
  free(python->request);
  python->request = strdup(request);
  if (!python->items) python->items = calloc(1, sizeof *python->items);
  if (!python->request || !python->items) return sfnec_fail_memory("a Python process");
  const sfnec_status status = start_and_ask(python, &python->items[0], shape);
  if (!status) python->count = 1;
  return status;
}

// ---- life ----

sfnec_python *sfnec_python_create(void) {
  sfnec_python *python = calloc(1, sizeof *python);
  if (python) python->host = (sfnec_gym_host){.describe = describe, .context = python};
  return python;
}

const sfnec_gym_host *sfnec_python_host(sfnec_python *python) {
  return &python->host;
}

void sfnec_python_destroy(sfnec_python *python) {
  if (!python) return;
  // all sockets first, so that the processes end together
  for (uint32_t i = 0; i < python->count; i++)
    if (python->items[i].pid) shutdown(python->items[i].socket, SHUT_RDWR);
  for (uint32_t i = 0; i < python->count; i++)
    if (python->items[i].pid) end(&python->items[i], stop_patience);
  free(python->items);
  free(python->request);
  free(python->study);
  free(python);
}

// ---- workers ----

static sfnec_python *of(const sfnec_workers *workers) {
  return (sfnec_python *)workers;
}

static uint32_t size(const sfnec_workers *workers) {
  return of(workers)->count;
}

static uint32_t idle(const sfnec_workers *workers) {
  const sfnec_python *python = of(workers);
  for (uint32_t i = 0; i < python->count && !python->stopping; i++)
    if (python->items[i].job == NO_JOB) return i;
  return UINT32_MAX;
}

// starts another process in the place of one that has ended
static void revive(const sfnec_python *python, process *process) {
  sfnec_env_shape shape;
  if (start_and_ask(python, process, &shape))
    snprintf(process->ending, sizeof process->ending, "%.390s", sfnec_last_error());
  else (void)say(process, SFNEC_FRAME_STUDY, python->study, python->study_size);
}

static void assign(sfnec_workers *workers, uint32_t worker, uint32_t job, uint32_t tasks_sent) {
  sfnec_python *python = of(workers);
  process *process = &python->items[worker];
  const uint32_t numbers[2] = {job, tasks_sent};
  // one that ended after its last job costs no other
  if (process->pid && !alive(process)) end(process, 0);
  if (!process->pid) revive(python, process);
  process->job = job;
  // one that is gone is noticed when it is listened to
  if (process->pid) (void)say(process, SFNEC_FRAME_ASSIGN, numbers, sizeof numbers);
}

// has it ended, with nothing left to read?
static bool is_silent(process *process) {
  struct pollfd news = {.fd = process->socket, .events = POLLIN};
  return !alive(process) && poll(&news, 1, 0) == 0;
}

// the end of a job whose process has ended; NULL if there is none, or no memory to report it
static sfnec_message *find_lost(sfnec_python *python) {
  const bool too_late = python->stopping && sfnec_seconds() - python->stopped_at > stop_patience;
  for (uint32_t i = 0; i < python->count; i++) {
    process *process = &python->items[i];
    if (process->job == NO_JOB) continue;
    if (process->pid && (too_late || is_silent(process))) end(process, 0);
    if (process->pid) continue;
    const sfnec_message lost = {.kind = python->stopping ? SFNEC_MESSAGE_STOPPED : SFNEC_MESSAGE_FAILED,
                                .worker = i,
                                .job = process->job,
                                .status = python->stopping ? SFNEC_OK : SFNEC_ERROR_STATE,
                                .text = process->ending};
    sfnec_message *message = sfnec_message_copy(&lost);
    if (message) process->job = NO_JOB;
    return message;
  }
  return NULL;
}

// what a process sent; NULL if that was no message, and its end
static sfnec_message *take(sfnec_python *python, uint32_t worker) {
  process *process = &python->items[worker];
  sfnec_frame_tag tag;
  unsigned char *bytes = NULL;
  size_t length;
  sfnec_message *message = NULL;
  if (sfnec_frame_receive(process->socket, SFNEC_FRAME_MOST, alive, process, &tag, &bytes, &length) &&
      tag == SFNEC_FRAME_MESSAGE)
    message = sfnec_message_open(bytes, length, python->plan, 1);
  free(bytes);
  if (!message || message->job != process->job) {
    sfnec_message_destroy(message);
    end(process, 5);
    return NULL;
  }
  message->worker = worker;
  if (message->kind >= SFNEC_MESSAGE_DONE) process->job = NO_JOB;
  return message;
}

static sfnec_message *next(sfnec_workers *workers, double seconds) {
  sfnec_python *python = of(workers);
  struct pollfd *list = calloc(python->count, sizeof *list);
  if (!list) return NULL;
  for (uint32_t i = 0; i < python->count; i++) {
    const process *process = &python->items[(python->next + i) % python->count];
    list[i] = (struct pollfd){.fd = process->pid ? process->socket : -1, .events = POLLIN};
  }
  sfnec_message *message = NULL;
  uint32_t ready = 0;
  const int found = poll(list, python->count, (int)(1000 * seconds + 0.999));
  while (found > 0 && ready < python->count && !list[ready].revents) ready++;
  if (found > 0 && ready < python->count) {
    const uint32_t worker = (python->next + ready) % python->count;
    python->next = (worker + 1) % python->count;
    message = take(python, worker);
  }
  free(list);
  return message ? message : find_lost(python);
}

static void stop(sfnec_workers *workers) {
  sfnec_python *python = of(workers);
  if (!python->stopping) python->stopped_at = sfnec_seconds();
  python->stopping = true;
  for (uint32_t i = 0; i < python->count; i++)
    if (python->items[i].pid) (void)say(&python->items[i], SFNEC_FRAME_STOP, NULL, 0);
}

// the processes are the owner's
static void destroy(sfnec_workers *workers) {
  stop(workers);
}

static const sfnec_workers_ops ops = {size, idle, assign, next, stop, destroy};

static sfnec_status send_study(sfnec_python *python, const sfnec_job_options *options) {
  const char *spec = sfnec_spec_text(options->plan->spec);
  if (!spec) return sfnec_fail_memory("a spec");
  const sfnec_python_study study = {.folder = options->folder ? options->folder : "",
                                    .agent_path = options->agent_path ? options->agent_path : "",
                                    .log_path = options->log_path ? options->log_path : "",
                                    .spec = spec,
                                    .checkpoint_seconds = options->checkpoint_seconds};
  const sfnec_status status = sfnec_python_study_pack(&study, &python->study, &python->study_size);
  for (uint32_t i = 0; i < python->count && !status; i++)
    (void)say(&python->items[i], SFNEC_FRAME_STUDY, python->study, python->study_size);
  return status;
}

sfnec_status sfnec_python_workers(sfnec_python *python, const sfnec_job_options *options, uint32_t count,
                                  sfnec_workers **out) {
  process *items = realloc(python->items, count * sizeof *items);
  if (!items) return sfnec_fail_memory("the workers");
  python->items = items;
  python->base.ops = &ops;
  python->plan = options->plan;
  // the first one has described the world; they start at the same time, and are asked one after the other
  sfnec_status status = SFNEC_OK;
  const uint32_t known = python->count;
  while (python->count < count && !status) {
    status = start(&python->items[python->count]);
    if (!status) python->count++;
  }
  for (uint32_t i = known; i < python->count && !status; i++) {
    sfnec_env_shape shape;
    status = ask(&python->items[i], python->request, &shape);
  }
  if (!status) status = send_study(python, options);
  if (!status) *out = &python->base;
  return status;
}
