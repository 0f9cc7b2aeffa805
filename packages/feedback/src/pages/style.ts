/** The look of the pages: quiet, light or dark as the reader's system is, from phones to wide screens. */

/** What browsers load; it is small enough to be sent as it is written. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f7f7f9; --card: #fff; --line: #e3e4ea; --text: #1c1d24; --soft: #5b5e6d;
  --accent: #4a45c9; --accent-text: #fff; --tint: #eeedfc; --good: #e9f6ee; --bad: #fdecec; --danger: #b3261e;
  --shadow: 0 1px 2px rgb(20 20 40 / .05);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121318; --card: #1b1c23; --line: #30323d; --text: #ececf1; --soft: #a6a9b8;
    --accent: #a9a5ff; --accent-text: #14131f; --tint: #282745; --good: #16301f; --bad: #3a1d1d; --danger: #ff9a93;
    --shadow: none;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: break-word; }
h1, h2, h3, h4, p, ul, ol { margin: 0; }
ul, ol { padding: 0; list-style: none; }
h1 { font-size: 1.65rem; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; }
h2 { font-size: 1.1rem; line-height: 1.35; }
h3 { font-size: 1rem; line-height: 1.4; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.skip { position: absolute; left: -999px; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 2; }
.skip:focus { left: .5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.top { background: var(--card); border-bottom: 1px solid var(--line); }
.bar, main, .foot { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
.bar { display: flex; align-items: center; gap: .25rem 1.5rem; min-height: 3.75rem; flex-wrap: wrap; }
.brand { display: inline-flex; align-items: center; gap: .6rem; font-weight: 700; font-size: 1.05rem; color: var(--text); text-decoration: none; letter-spacing: -.01em; }
.logo { display: block; max-height: 2rem; max-width: 10rem; }
.bar ul { display: flex; gap: .25rem; }
.bar nav a { display: block; padding: .45rem .7rem; border-radius: .5rem; color: var(--soft); text-decoration: none; font-weight: 500; }
.bar nav a:hover { color: var(--text); background: var(--page); }
.bar nav a[aria-current] { color: var(--accent); background: var(--tint); }
.who { margin-left: auto; display: flex; align-items: center; gap: .6rem; font-size: .925rem; padding: .45rem 0; }
.who .name { color: var(--soft); max-width: 14rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
main { padding-top: 2rem; padding-bottom: 3rem; min-height: 70vh; }
.foot { padding-bottom: 2rem; font-size: .875rem; }
.foot a { color: var(--soft); }

.intro { margin-bottom: 1.75rem; max-width: 42rem; }
.intro p, .head p { color: var(--soft); margin-top: .35rem; }
.problem { margin-top: 3rem; }
.head { display: flex; gap: 1rem; justify-content: space-between; align-items: flex-start; margin-bottom: 1.25rem; }
.head .button { flex: none; }
.crumb { margin-bottom: .9rem; font-size: .925rem; }
.crumb a { text-decoration: none; }
.crumb a::before { content: '← ' / ''; }
.crumb a:hover { text-decoration: underline; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.15rem; box-shadow: var(--shadow); }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: 1rem; }
.grid .card { position: relative; display: flex; flex-direction: column; gap: .35rem; }
.grid .card p { color: var(--soft); }
.grid .meta { margin-top: auto; padding-top: .4rem; }
.grid h2 a::after { content: ''; position: absolute; inset: 0; border-radius: .75rem; }
.grid .card:hover, .posts .card:hover, .column .card:hover { border-color: var(--accent); }
.card h2 a, .card h3 a, .entry h2 a { color: var(--text); text-decoration: none; }
.card h2 a:hover, .card h3 a:hover, .entry h2 a:hover { color: var(--accent); text-decoration: underline; }

button, .button, input, textarea { font: inherit; color: inherit; }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.5rem; padding: .35rem .95rem; border: 1px solid var(--line); border-radius: .55rem; background: var(--card); cursor: pointer; font-weight: 550; text-decoration: none; }
button:hover { border-color: var(--accent); }
.button { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
.button:hover { filter: brightness(1.08); }
.quiet { min-height: 2rem; padding: .15rem .6rem; font-size: .875rem; font-weight: 500; color: var(--soft); }
.danger { color: var(--danger); }
input, textarea { width: 100%; padding: .55rem .75rem; border: 1px solid var(--field, #8b8e9c); border-radius: .55rem; background: var(--card); }
textarea { resize: vertical; min-height: 6rem; }
::placeholder { color: var(--soft); opacity: 1; }
label { font-weight: 600; font-size: .925rem; }
.hint, .meta { color: var(--soft); font-size: .875rem; }
.search { display: flex; gap: .5rem; margin-bottom: .9rem; }
.filters { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-bottom: 1rem; }
.chips { display: flex; flex-wrap: wrap; gap: .35rem; }
.chips a { display: inline-flex; align-items: center; gap: .4rem; min-height: 2rem; padding: .1rem .7rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); color: var(--soft); font-size: .875rem; text-decoration: none; }
.chips a:hover { border-color: var(--accent); color: var(--text); }
.chips a[aria-current] { background: var(--tint); border-color: var(--accent); color: var(--accent); font-weight: 600; }
main > nav .chips { margin-bottom: 1rem; }

.posts { display: grid; gap: .75rem; margin-top: .75rem; }
.post { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 1rem; }
.whole { padding: 1.4rem; }
.excerpt { color: var(--soft); margin-top: .15rem; }
.meta { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .75rem; }
.post .meta { margin-top: .45rem; }
.badge, .tag { display: inline-flex; align-items: center; gap: .4rem; font-weight: 500; color: var(--text); }
.badge { padding: .05rem .6rem; border: 1px solid var(--line); border-radius: 1rem; }
.tag { font-weight: 400; color: var(--soft); }
.dot { flex: none; }
.vote button { flex-direction: column; gap: .2rem; width: 3.25rem; min-height: 3.5rem; padding: .3rem; font-variant-numeric: tabular-nums; font-weight: 650; }
.vote svg { fill: var(--soft); }
.vote button:hover svg { fill: var(--accent); }
.vote button[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
.vote button[aria-pressed=true] svg { fill: currentColor; }
.prose { margin-top: .9rem; max-width: 44rem; }
.prose > * + *, .prose :is(li, blockquote) > * + * { margin-top: .75rem; }
.prose hr { border: 0; border-top: 1px solid var(--line); }
.prose ul, .prose ol { padding-left: 1.4rem; list-style: disc; }
.prose ol { list-style: decimal; }
.prose h2, .prose h3, .prose h4 { margin-top: 1.25rem; }
.prose code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--page); border: 1px solid var(--line); border-radius: .3rem; padding: .05em .3em; }
.prose pre { overflow: auto; padding: .8rem 1rem; background: var(--page); border: 1px solid var(--line); border-radius: .55rem; }
.prose pre code { border: 0; padding: 0; background: none; }
.prose blockquote { margin: .75rem 0 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
.official { margin-top: 1rem; border-left: 4px solid var(--accent); }
.official .prose { margin-top: .5rem; }
.official .meta { margin-top: .5rem; }

.comments { margin-top: 2rem; }
.thread > ol { margin-top: .5rem; }
.thread li { margin-top: .9rem; }
.thread .prose li { margin-top: 0; }
.thread ol ol { margin-left: .4rem; padding-left: 1rem; border-left: 2px solid var(--line); }
.thread ol ol ol ol ol ol { margin-left: 0; padding-left: 0; border: 0; }
.thread .prose ol { margin-left: 0; padding-left: 1.4rem; border: 0; }
.comment .prose { margin-top: .2rem; }
.comment strong { color: var(--text); font-weight: 650; }
.team { background: var(--tint); color: var(--accent); border-radius: .35rem; padding: 0 .45rem; font-weight: 600; font-size: .8rem; }
.gone { color: var(--soft); font-style: italic; }
li:target > .comment { background: var(--tint); border-radius: .5rem; box-shadow: 0 0 0 .5rem var(--tint); }
.acts { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .8rem; margin-top: .3rem; font-size: .875rem; }
.whole .acts { margin-top: .9rem; }
.acts > a { color: var(--soft); padding: .3rem 0; }
.acts button, .reaction { min-height: 1.9rem; padding: 0 .55rem; border-radius: 1rem; font-size: .875rem; font-weight: 500; }
.reaction { display: inline-flex; align-items: center; border: 1px solid var(--line); color: var(--soft); }
.acts button[aria-pressed=true] { background: var(--tint); border-color: var(--accent); color: var(--accent); }
summary { cursor: pointer; color: var(--soft); padding: .3rem 0; }
.write { display: grid; gap: .4rem; margin-top: 1.75rem; max-width: 44rem; justify-items: start; }
.comment .write { margin-top: .75rem; }
.narrow { margin-top: 0; padding: 1.5rem; }
.write .hint { margin-bottom: .5rem; }
.write textarea + label, .write .hint + label { margin-top: .35rem; }
.write h1 { margin-bottom: .75rem; }
.row { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; }
.delete { margin-top: 1rem; font-size: .925rem; }
.delete form { display: grid; gap: .5rem; justify-items: start; }
.notice { padding: .7rem 1rem; border-radius: .55rem; background: var(--good); margin-bottom: 1rem; }
.bad { background: var(--bad); }
.suggested { width: 100%; }
.suggested:empty { display: none; }
.similar ul { display: grid; gap: .5rem; margin-top: .5rem; }
.similar li { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; justify-content: space-between; }
.similar button { min-height: 2.1rem; padding: .1rem .7rem; font-size: .875rem; }
.empty { padding: 1.5rem 0; color: var(--soft); }
.pager { display: flex; flex-wrap: wrap; gap: 1rem; margin-top: 1.5rem; align-items: center; color: var(--soft); font-size: .925rem; }

.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr)); gap: 1.25rem; align-items: start; }
.column h2 { display: flex; align-items: center; gap: .5rem; margin-bottom: .75rem; }
.column h2 .number { color: var(--soft); font-weight: 500; }
.column ol { display: grid; gap: .6rem; margin-bottom: .6rem; }
.column .card { padding: .75rem .9rem; }
.column h3 { font-weight: 550; }
.entry { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .5rem 1.5rem; padding: 1.75rem 0; border-top: 1px solid var(--line); }
.entry:first-of-type { border-top: 0; padding-top: .25rem; }
.entry h2 { font-size: 1.3rem; }
.entry > .meta { align-items: flex-start; padding-top: .3rem; }
.entry div > .meta { margin-top: 1rem; }
.labels { display: flex; flex-wrap: wrap; gap: .35rem; margin-top: .5rem; font-size: .875rem; }

@media (max-width: 40rem) {
  .bar { padding-top: .6rem; gap: .1rem .9rem; }
  .bar nav { order: 3; width: 100%; margin: 0 -.7rem; padding-bottom: .45rem; }
  main { padding-top: 1.25rem; }
  h1 { font-size: 1.4rem; }
  .card { padding: .9rem; }
  .post { gap: .8rem; }
  .whole { padding: 1rem; }
  .entry { grid-template-columns: minmax(0, 1fr); }
  .chips { flex-wrap: nowrap; overflow-x: auto; margin: 0 -1.25rem; padding: .15rem 1.25rem; scrollbar-width: none; }
  .chips li { flex: none; }
  .filters { display: grid; grid-template-columns: minmax(0, 1fr); }
  .chips a { min-height: 2.35rem; }
  .thread ol ol { padding-left: .7rem; margin-left: .1rem; }
  .thread .prose ol { padding-left: 1.4rem; margin-left: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .card, button, .chips a { transition: border-color .12s, background-color .12s; }
}
`.trimStart();
