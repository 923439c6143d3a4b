/* Classes of opcodes, and the comparison as a picture: see compare.h. */
#include "cli/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A class has its opcodes between blanks, as the tables of Tesla, Fermi and PTX name them. */
static const struct {
	const char *name, *ops;
} classes[] = {
	{"add",
	 " IADD IADD32 IADD32I FADD FADD32 FADD32I DADD ADA ISAD ISAD32 add sub addc subc sad "},
	{"shift-add", " ISCADD ISCADD32I "},
	{"multiply", " IMUL IMUL32 IMUL32I FMUL FMUL32 FMUL32I DMUL mul mul24 "},
	{"multiply-add",
	 " IMAD IMAD32 IMAD32I FFMA FFMA32I FMAD FMAD32 FMAD32I DFMA mad fma mad24 madc "},
	{"shift", " SHL SHR shl shr shf "},
	{"logic",
	 " LOP LOP32I BFE BFI FLO POPC PRMT and or xor not lop3 bfe bfi prmt popc clz brev cnot "},
	{"minimum", " IMNMX FMNMX DMNMX IMAX IMIN FMAX FMIN DMAX DMIN min max abs neg "},
	{"compare",
	 " ISET ISETP FSET FSETP DSET DSETP PSET PSETP CSET CSETP ICMP FCMP set setp slct selp "},
	{"convert", " I2I I2F F2I F2F cvt cvta "},
	{"move",
	 " MOV MOV32 MOV32I MVI MVC SEL S2R A2R R2A C2R R2C P2R R2P LEPC VOTE mov vote shfl "},
	{"function",
	 " MUFU RRO RCP RCP32 RSQ LG2 SIN COS EX2 rcp rsqrt sqrt sin cos lg2 ex2 div rem "},
	{"load", " LD LDU LD_LDU LDS_LDU LDL LDS LDC GLD LLD G2R LDSLK ld ldu "},
	{"store", " ST STL STS STSUL GST LST R2G st "},
	{"atomic", " ATOM RED GATOM GRED atom red "},
	{"texture", " TEX TLD TLD4 TXQ SULD.B SUST.B TEX32 TEX.LB TEX.LL tex tld4 txq suld sust "},
	{"synchronise", " BAR BAR.RED BAR.ARV MEMBAR bar membar fence "},
	{"control", " BRA BRA.U BRX JMP JMX CAL JCAL RET BRK CONT EXIT SSY PBK PCNT PRET PLONGJMP "
		    "LONGJMP KIL bra brx call ret exit "},
	{"nothing", " NOP pmevent "},
};

const char *compare_class(const char *opcode)
{
	char key[64];
	if (opcode[0] == 'V' && strcmp(opcode, "VOTE"))
		return "video";
	if ((size_t)snprintf(key, sizeof key, " %s ", opcode) >= sizeof key)
		return "other";
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strstr(classes[i].ops, key))
			return classes[i].name;
	return "other";
}

enum { BAR = 11, PITCH = 34, LEFT = 90, TOP = 46, HEIGHT = 220, GAP = 90, MAX_BARS = 40 };

static void text_put(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '&' || *s == '<' || *s == '>')
			fprintf(f, "&#%d;", *s);
		else
			fputc(*s, f);
}

/* One panel at height y: a pair of bars for each row; share: of each side's total, else the counts.
 */
static void panel(FILE *f, const struct table *t, size_t n, int y, int share)
{
	static const char *const colour[] = {"#8a8a8a", "#2b6cb0"};
	double top = 0;
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 2; k++) {
			double v = share ? 100.0 * (double)t->row[i].n[k] /
						   (double)(t->total[k] ? t->total[k] : 1)
					 : (double)t->row[i].n[k];
			top = v > top ? v : top;
		}
	top = top > 0 ? top : 1;
	fprintf(f, "<text x='%d' y='%d' class='t'>%s</text>\n", LEFT, y - 10,
		share ? "share of all instructions, %" : "dynamic instructions");
	for (int k = 0; k <= 4; k++) {
		int at = y + HEIGHT - HEIGHT * k / 4;
		fprintf(f,
			"<line x1='%d' x2='%d' y1='%d' y2='%d' stroke='#ddd'/><text x='%d' y='%d' "
			"text-anchor='end'>%.*f</text>\n",
			LEFT, LEFT + PITCH * (int)n, at, at, LEFT - 6, at + 4, share ? 1 : 0,
			top * k / 4);
	}
	for (size_t i = 0; i < n; i++) {
		int x = LEFT + PITCH * (int)i + 5;
		for (int k = 0; k < 2; k++) {
			double v = share ? 100.0 * (double)t->row[i].n[k] /
						   (double)(t->total[k] ? t->total[k] : 1)
					 : (double)t->row[i].n[k];
			double h = HEIGHT * v / top;
			fprintf(f, "<rect x='%d' y='%.1f' width='%d' height='%.1f' fill='%s'/>\n",
				x + BAR * k, y + HEIGHT - h, BAR, h, colour[k]);
		}
		fprintf(f, "<text transform='translate(%d,%d) rotate(-50)' text-anchor='end'>",
			x + BAR, y + HEIGHT + 14);
		text_put(f, t->row[i].name);
		fprintf(f, "</text>\n");
	}
}

char *compare_svg(const struct table *t, const char *a, const char *b)
{
	char *s = NULL;
	size_t size, n = t->n < MAX_BARS ? t->n : MAX_BARS;
	FILE *f = open_memstream(&s, &size);
	if (!f)
		return NULL;
	int width = LEFT + PITCH * (int)n + 30;
	width = width < 420 ? 420 : width;
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
		"font-family='sans-serif' font-size='11'>\n",
		width, TOP + 2 * (HEIGHT + GAP) + 10);
	fprintf(f, "<style>.t{font-size:13px;font-weight:bold}</style>\n<rect width='100%%' "
		   "height='100%%' fill='white'/>\n");
	fprintf(f, "<rect x='%d' y='8' width='11' height='11' fill='#8a8a8a'/><text x='%d' y='18'>",
		LEFT, LEFT + 16);
	text_put(f, a);
	fprintf(f,
		": %lld</text>\n<rect x='%d' y='8' width='11' height='11' fill='#2b6cb0'/><text "
		"x='%d' y='18'>",
		(long long)t->total[0], LEFT + 180, LEFT + 196);
	text_put(f, b);
	fprintf(f, ": %lld</text>\n", (long long)t->total[1]);
	panel(f, t, n, TOP, 0);
	panel(f, t, n, TOP + HEIGHT + GAP, 1);
	fprintf(f, "</svg>\n");
	fclose(f);
	return s;
}
