/* The page's style sheet: text for people to read, on screens and on paper, light and dark. */
#ifndef STUDY_STYLE_H
#define STUDY_STYLE_H

static const char page_style[] =
	":root{--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--paper:#fff;--wash:#f6f8fa;--good:#1a7f37;--bad:#bc4c00;"
	"--none:#6e7781;--link:#0a58ca}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--paper:#0d1117;"
	"--wash:#151b23;--good:#3fb950;--bad:#f0883e;--none:#9198a1;--link:#4493f8}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}\n"
	"main{max-width:62rem;margin:0 auto;padding:2.5rem 1.25rem 5rem}\n"
	"h1{font-size:2rem;line-height:1.2;margin:0 0 .3rem}\n"
	"h2{font-size:1.35rem;margin:3rem 0 .6rem;padding-top:1rem;border-top:1px solid var(--line)}\n"
	"h3{font-size:1.02rem;margin:1.4rem 0 .3rem}\n"
	"p{margin:.5rem 0;max-width:48rem}a{color:var(--link)}\n"
	".lead,.soft,figcaption{color:var(--soft)}\n"
	".sum{display:flex;flex-wrap:wrap;gap:.6rem;margin:1.2rem 0}\n"
	".sum div{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .9rem;background:var(--wash)}\n"
	".sum b{display:block;font-size:1.4rem;line-height:1.2}\n"
	"table{border-collapse:collapse;font-size:.9rem;margin:.6rem 0;font-variant-numeric:tabular-nums}\n"
	".wide{overflow-x:auto}\n"
	"th,td{padding:.28rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}\n"
	"th{font-weight:600;background:var(--wash)}td.n,th.n{text-align:right;white-space:nowrap}\n"
	"#claims td:nth-child(2){white-space:nowrap}"
	"td.p{color:var(--soft)}tr.mean td{font-weight:600;border-top:2px solid var(--line)}\n"
	"figure{margin:1rem 0}figure svg{max-width:100%;height:auto;background:#fff;border:1px solid var(--line);"
	"border-radius:.5rem}\n"
	".v{font-weight:600;white-space:nowrap}.agrees{color:var(--good)}.differs{color:var(--bad)}.none{color:var(--none)}\n"
	".claim{border-left:4px solid var(--line);padding:.1rem 0 .1rem .9rem;margin:.9rem 0}\n"
	".claim.agrees{border-color:var(--good)}.claim.differs{border-color:var(--bad)}\n"
	".claim p{color:var(--ink)}\n"
	"code,pre{font:.85em/1.45 ui-monospace,monospace;background:var(--wash);border-radius:.3rem}\n"
	"code{padding:.1em .3em}pre{padding:.8rem;overflow-x:auto;max-height:26rem}\n"
	"summary{cursor:pointer;color:var(--soft);margin:.4rem 0}\n"
	".warn{border:1px solid var(--bad);border-radius:.5rem;padding:.6rem .9rem;margin:1rem 0}\n";

#endif
