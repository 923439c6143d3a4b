/* A cubin for sm_75 and later as text, which can be converted back to a cubin with equal words,
 * symbols and sections.
 *
 *   .elf TYPE OSABI ABIVERSION VERSION FLAGS      the header's fields; the first line of a listing
 *   .section "NAME" TYPE FLAGS LINK INFO ALIGN ENTRY
 *       followed by the section's contents: bytes (.bytes 00112233...), uninitialised space (.space N), symbols, or code
 *   .symbol "NAME" INFO OTHER SECTION VALUE SIZE  in the symbol table; SIZE *: up to the end of its section
 *   .strings                                      a table of names, which the assembler generates
 *       Function : NAME                           a comment: the symbol at this place
 *   .L_110:                                       a label: anything that ends in a colon
 *       /\*0110*\/  IADD3 R5, R10, R5, RZ ;  /\* 0x... *\/
 *       .word 0x...                               a word that is not an instruction
 *
 * Numbers are decimal or begin with 0x. A branch names its label: BRA `(.L_110). If a line of code
 * has its word beside the text, the word counts, and a text that contradicts it causes a warning.
 * Without words (in the full style, which includes control bits) instructions may be changed,
 * inserted and removed. */
#ifndef FRONT_ELF_LISTING_H
#define FRONT_ELF_LISTING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct diag;

/* Prints a cubin that cuelf_recognise() accepts; full: control bits in place of words. False: errors in d. */
bool culist_print(const char *file, const void *data, size_t n, bool full, FILE *f, struct diag *d);

/* True if the text is a listing of this kind. */
bool culist_recognise(const char *text, size_t n);
/* Returns the cubin of a listing (malloc'ed, *size bytes). NULL: errors in d. */
void *culist_assemble(const char *file, const char *text, size_t n, size_t *size, struct diag *d);

#endif
