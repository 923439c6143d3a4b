/* Shadow memory of --check race,init; see shadow.c. */
#ifndef EXEC_SHADOW_H
#define EXEC_SHADOW_H
#include <stdbool.h>
#include <stdint.h>

struct shadow *shadow_new(uint64_t size, bool initialised);
void shadow_free(struct shadow *s);
/* the host or a kernel wrote there */
void shadow_written(struct shadow *s, uint64_t off, uint64_t n);
/* n bytes of `from` are copied to s (either may be NULL): what nothing has written there is unwritten here too */
void shadow_copied(struct shadow *s, uint64_t off, struct shadow *from, uint64_t from_off,
		   uint64_t n);
bool shadow_any_written(struct shadow *s, uint64_t off, uint64_t n);
/* The host shares the memory and stores to it unseen: fills it with garbage, by which what nobody has written can
 * be told (devmem/garbage.h). */
void shadow_of_host(struct shadow *s, uint8_t *host, uint64_t number);
/* shared memory: words that no variable has */
void shadow_forbid(struct shadow *s, uint64_t from, uint64_t to);
void shadow_reset(struct shadow *s); /* shared memory: a new block */
/* malloc: from lo to end is a new block of the heap. Nobody has touched or written its bytes; those
 * from `used` on are no part of what was asked for. */
void shadow_renew(struct shadow *s, uint64_t lo, uint64_t used, uint64_t end);

#endif
