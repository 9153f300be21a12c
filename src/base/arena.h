// arena.h: memory for things that live and die together: a spec, a plan, a table of results.
//
// Everything that is taken from an arena is freed with it, so the code that builds such a thing has one exit and no
// clean-up of its own. All functions that give memory return NULL when there is none.
#ifndef SFNEC_BASE_ARENA_H
#define SFNEC_BASE_ARENA_H

#include <stddef.h>
#include <stdio.h>

typedef struct sfnec_arena sfnec_arena;

sfnec_arena *sfnec_arena_create(void);
// An arena in which the thing that it is for lives too: `size` zeroed bytes. *arena is NULL with it.
void *sfnec_arena_create_for(size_t size, sfnec_arena **arena);
void sfnec_arena_destroy(sfnec_arena *arena); // NULL is fine

// `count` zeroed elements, aligned for any type.
void *sfnec_arena_alloc(sfnec_arena *arena, size_t count, size_t size);

// An array of `count` elements grown by one: returns its new place (the old elements are copied when it moves), the new
// element zeroed. The room doubles, so pushing is cheap; start with NULL and 0.
void *sfnec_arena_grow(sfnec_arena *arena, void *elements, size_t count, size_t size);

char *sfnec_arena_copy(sfnec_arena *arena, const char *text);
__attribute__((format(printf, 2, 3))) char *sfnec_arena_print(sfnec_arena *arena, const char *format, ...);

// A text that is written piece by piece, one at a time: a stream, and what was written to it since.
FILE *sfnec_arena_open_text(sfnec_arena *arena);
char *sfnec_arena_close_text(sfnec_arena *arena);

#endif
