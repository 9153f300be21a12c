// expression.c: see expression.h. A recursive-descent parser that writes the program in postfix order.
#include "base/expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

// ---- the program ----

typedef enum operation {
  PUSH_NUMBER,
  PUSH_VARIABLE,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  POWER,
  LESS,
  LESS_EQUAL,
  GREATER,
  GREATER_EQUAL,
  EQUAL,
  NOT_EQUAL,
  AND,
  OR,
  MINIMUM,
  MAXIMUM,
  NEGATE,
  NOT,
  ABSOLUTE,
  ROOT,
  EXPONENTIAL,
  LOGARITHM,
  FLOOR,
  SELECT, // then, condition, else: the last three of the stack, in the order in which they are written
} operation;

typedef struct instruction {
  operation operation;
  uint32_t variable;
  double number;
} instruction;

struct sfnec_expression {
  size_t count;
  instruction program[]; // (count)
};

static double apply(operation operation, double a, double b) {
  switch (operation) {
  case ADD:
    return a + b;
  case SUBTRACT:
    return a - b;
  case MULTIPLY:
    return a * b;
  case DIVIDE:
    return a / b;
  case POWER:
    return pow(a, b);
  case LESS:
    return a < b;
  case LESS_EQUAL:
    return a <= b;
  case GREATER:
    return a > b;
  case GREATER_EQUAL:
    return a >= b;
  case EQUAL:
    return a == b;
  case NOT_EQUAL:
    return a != b;
  case AND:
    return a != 0.0 && b != 0.0;
  case OR:
    return a != 0.0 || b != 0.0;
  case MINIMUM:
    return a < b ? a : b;
  default:
    return a > b ? a : b; // MAXIMUM
  }
}

static double apply_to_one(operation operation, double a) {
  switch (operation) {
  case NEGATE:
    return -a;
  case NOT:
    return a == 0.0;
  case ABSOLUTE:
    return fabs(a);
  case ROOT:
    return sqrt(a);
  case EXPONENTIAL:
    return exp(a);
  case LOGARITHM:
    return log(a);
  default:
    return floor(a); // FLOOR
  }
}

double sfnec_expression_evaluate(const sfnec_expression *expression, sfnec_expression_reader *read,
                                 const void *context) {
  double stack[SFNEC_EXPRESSION_DEPTH] = {0.0};
  size_t top = 0; // numbers on the stack; the parser has checked that they fit
  for (size_t i = 0; i < expression->count; i++) {
    const instruction *next = &expression->program[i];
    if (next->operation == PUSH_NUMBER) {
      stack[top++] = next->number;
    } else if (next->operation == PUSH_VARIABLE) {
      stack[top++] = read(context, next->variable);
    } else if (next->operation == SELECT) {
      top -= 2;
      if (stack[top] == 0.0) stack[top - 1] = stack[top + 1];
    } else if (next->operation >= NEGATE) {
      stack[top - 1] = apply_to_one(next->operation, stack[top - 1]);
    } else {
      top--;
      stack[top - 1] = apply(next->operation, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

void sfnec_expression_destroy(sfnec_expression *expression) {
  free(expression);
}

// ---- the parser ----

typedef struct parser {
  const char *text, *at;
  sfnec_expression_resolver *resolve;
  void *context;
  sfnec_expression *expression;
  size_t depth, nesting; // numbers on the stack after the program so far; brackets and operators that are open
} parser;

static sfnec_status parse_choice(parser *p);

// Says where: the text before may be long, so its end stands for it.
static sfnec_status refuse(const parser *p, const char *what) {
  const size_t before = (size_t)(p->at - p->text), shown = before < 24 ? before : 24;
  return sfnec_fail(SFNEC_ERROR_OPTION, "the expression has %s at character %zu%s%.*s%s", what, before + 1,
                    shown ? ", after '" : "", (int)shown, p->at - shown, shown ? "'" : "");
}

// Every instruction comes from a character of the text at least, so that the program fits its block.
static sfnec_status emit(parser *p, instruction next) {
  const size_t takes = next.operation <= PUSH_VARIABLE ? 0
                       : next.operation == SELECT      ? 3
                       : next.operation >= NEGATE      ? 1
                                                       : 2;
  p->depth = p->depth + 1 - takes;
  if (p->depth > SFNEC_EXPRESSION_DEPTH) return refuse(p, "too many nested parts; split it");
  p->expression->program[p->expression->count++] = next;
  return SFNEC_OK;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static void skip_blanks(parser *p) {
  while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

// Takes a symbol or a word, if it comes next. A symbol must not be the beginning of a longer one.
static bool take(parser *p, const char *token) {
  skip_blanks(p);
  const size_t length = strlen(token);
  if (strncmp(p->at, token, length) != 0) return false;
  const char next = p->at[length];
  if (is_letter(*token) && (is_letter(next) || is_digit(next) || next == '.')) return false;
  if ((*token == '*' || *token == '<' || *token == '>') && length == 1 && (next == '=' || next == *token)) return false;
  p->at += length;
  return true;
}

// Bounds the recursion, whatever the text.
static sfnec_status nest(parser *p, sfnec_status (*parse)(parser *)) {
  if (p->nesting == SFNEC_EXPRESSION_DEPTH) return refuse(p, "too many nested parts; split it");
  p->nesting++;
  const sfnec_status status = parse(p);
  p->nesting--;
  return status;
}

static sfnec_status parse_number(parser *p) {
  char text[32];
  size_t length = 0;
  while (is_digit(p->at[length]) || p->at[length] == '.' || p->at[length] == 'e' || p->at[length] == 'E' ||
         (length > 0 && (p->at[length] == '-' || p->at[length] == '+') &&
          (p->at[length - 1] == 'e' || p->at[length - 1] == 'E'))) {
    if (length + 1 == sizeof text) return refuse(p, "too long a number");
    text[length] = p->at[length];
    length++;
  }
  text[length] = '\0';
  instruction next = {.operation = PUSH_NUMBER};
  if (!sfnec_text_to_real(text, &next.number)) return refuse(p, "no valid number");
  p->at += length;
  return emit(p, next);
}

// The arguments of a function: one, or two or more that are taken two by two.
static sfnec_status parse_call(parser *p, operation operation) {
  sfnec_status status = nest(p, parse_choice);
  size_t count = 1;
  for (; !status && take(p, ","); count++) {
    if (operation >= NEGATE) return refuse(p, "a function of one argument with more");
    status = nest(p, parse_choice);
    if (!status) status = emit(p, (instruction){.operation = operation});
  }
  if (status) return status;
  if (!take(p, ")")) return refuse(p, "no ')' for a '('");
  if (operation >= NEGATE) return emit(p, (instruction){.operation = operation});
  return count > 1 ? SFNEC_OK : refuse(p, "a function that needs two arguments or more with one");
}

static sfnec_status parse_name(parser *p) {
  static const struct {
    const char *name;
    operation operation;
  } functions[] = {{"abs", ABSOLUTE}, {"sqrt", ROOT},   {"exp", EXPONENTIAL}, {"log", LOGARITHM},
                   {"floor", FLOOR},  {"min", MINIMUM}, {"max", MAXIMUM}};
  const char *name = p->at;
  size_t length = 0;
  while (is_letter(name[length]) || is_digit(name[length]) || (name[length] == '.' && is_letter(name[length + 1])))
    length++;
  p->at += length;
  if (take(p, "(")) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
      if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
        return parse_call(p, functions[i].operation);
    }
    p->at = name;
    return refuse(p, "an unknown function (there are abs, min, max, sqrt, exp, log and floor)");
  }
  int64_t index = -1;
  if (take(p, "[")) {
    skip_blanks(p);
    if (!is_digit(*p->at)) return refuse(p, "no whole number in its brackets");
    for (index = 0; is_digit(*p->at); p->at++) {
      if (index < INT32_MAX) index = 10 * index + (*p->at - '0');
    }
    if (!take(p, "]")) return refuse(p, "no ']' for a '['");
  }
  instruction next = {.operation = PUSH_VARIABLE};
  const sfnec_status status = p->resolve(p->context, name, length, index, &next.variable);
  return status ? status : emit(p, next);
}

static sfnec_status parse_atom(parser *p) {
  if (take(p, "(")) {
    const sfnec_status status = nest(p, parse_choice);
    return status ? status : take(p, ")") ? SFNEC_OK : refuse(p, "no ')' for a '('");
  }
  skip_blanks(p);
  if (is_digit(*p->at) || *p->at == '.') return parse_number(p);
  if (is_letter(*p->at)) return parse_name(p);
  return refuse(p, *p->at ? "no number and no name" : "its end, but needs a number or a name,");
}

static sfnec_status parse_signed(parser *p);

// Binds tighter than a sign before it: -2 ** 2 is -4; its exponent may have one: 2 ** -1.
static sfnec_status parse_power(parser *p) {
  sfnec_status status = parse_atom(p);
  if (status || !take(p, "**")) return status;
  status = nest(p, parse_signed);
  return status ? status : emit(p, (instruction){.operation = POWER});
}

static sfnec_status parse_signed(parser *p) {
  if (take(p, "+")) return nest(p, parse_signed);
  if (!take(p, "-")) return parse_power(p);
  const sfnec_status status = nest(p, parse_signed);
  return status ? status : emit(p, (instruction){.operation = NEGATE});
}

typedef struct level {
  const char *token;
  operation operation;
} level;

// Operands with operators of one level between them, from the left to the right.
static sfnec_status parse_level(parser *p, sfnec_status (*operand)(parser *), const level *levels) {
  sfnec_status status = operand(p);
  while (!status) {
    const level *found = levels;
    while (found->token && !take(p, found->token)) found++;
    if (!found->token) break;
    status = operand(p);
    if (!status) status = emit(p, (instruction){.operation = found->operation});
  }
  return status;
}

static sfnec_status parse_product(parser *p) {
  return parse_level(p, parse_signed, (const level[]){{"*", MULTIPLY}, {"/", DIVIDE}, {0}});
}

static sfnec_status parse_sum(parser *p) {
  return parse_level(p, parse_product, (const level[]){{"+", ADD}, {"-", SUBTRACT}, {0}});
}

// Chains are refused: that 0 < x < 1 compares a truth with 1 would surprise whoever knows Python's.
static sfnec_status parse_comparison(parser *p) {
  static const level levels[] = {
      {"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"==", EQUAL}, {"!=", NOT_EQUAL}, {"<", LESS}, {">", GREATER}, {0}};
  sfnec_status status = parse_sum(p);
  for (size_t compared = 0; !status; compared++) {
    const level *found = levels;
    while (found->token && !take(p, found->token)) found++;
    if (!found->token) break;
    if (compared) return refuse(p, "a chain of comparisons (write 0 < x and x < 1)");
    status = parse_sum(p);
    if (!status) status = emit(p, (instruction){.operation = found->operation});
  }
  return status;
}

static sfnec_status parse_not(parser *p) {
  if (!take(p, "not")) return parse_comparison(p);
  const sfnec_status status = nest(p, parse_not);
  return status ? status : emit(p, (instruction){.operation = NOT});
}

static sfnec_status parse_and(parser *p) {
  return parse_level(p, parse_not, (const level[]){{"and", AND}, {0}});
}

static sfnec_status parse_or(parser *p) {
  return parse_level(p, parse_and, (const level[]){{"or", OR}, {0}});
}

static sfnec_status parse_choice(parser *p) {
  sfnec_status status = parse_or(p);
  if (status || !take(p, "if")) return status;
  status = nest(p, parse_or);
  if (!status && !take(p, "else")) status = refuse(p, "an 'if' without an 'else'");
  if (!status) status = nest(p, parse_choice);
  return status ? status : emit(p, (instruction){.operation = SELECT});
}

sfnec_status sfnec_expression_parse(const char *text, sfnec_expression_resolver *resolve, void *context,
                                    sfnec_expression **out) {
  const size_t length = strnlen(text, SFNEC_EXPRESSION_TEXT + 1);
  if (length > SFNEC_EXPRESSION_TEXT)
    return sfnec_fail(SFNEC_ERROR_OPTION, "the expression is longer than %d characters", SFNEC_EXPRESSION_TEXT);
  parser p = {.text = text, .at = text, .resolve = resolve, .context = context};
  p.expression = malloc(sizeof *p.expression + (length + 1) * sizeof *p.expression->program);
  if (!p.expression) return sfnec_fail_memory("an expression");
  p.expression->count = 0;
  sfnec_status status = parse_choice(&p);
  skip_blanks(&p);
  if (!status && *p.at) status = refuse(&p, "something that does not belong to it");
  if (!status) *out = p.expression;
  else sfnec_expression_destroy(p.expression);
  return status;
}
