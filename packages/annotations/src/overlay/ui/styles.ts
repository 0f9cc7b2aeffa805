/** Owns the one stylesheet of the overlay. */
import { STATUS_COLOURS } from './status.ts';

const LIGHT = `--bg:#fff;--raised:#f5f6f8;--line:#dcdfe5;--text:#15181e;--soft:#565d6b;--add:#e3f6e8;--add-text:#0c5a2a;--del:#fdebec;--del-text:#93182a;--danger:#b4232f;--shadow:0 1px 2px #0b10201a,0 8px 28px #0b102029;--amber:#92560a;--link:#1d4fd7;color-scheme:light`;
const DARK = `--bg:#17191f;--raised:#22252d;--line:#363b46;--text:#eef0f4;--soft:#a9b0be;--add:#12321e;--add-text:#a6ecbd;--del:#3d1a20;--del-text:#ffc2c8;--danger:#ff9aa2;--shadow:0 1px 2px #0006,0 10px 32px #0009;--amber:#fbc664;--link:#9dc0ff;color-scheme:dark`;

const statuses = Object.entries(STATUS_COLOURS)
  .map(([status, colour]) => `[data-status=${status}]{--status:${colour}}`)
  .join('');

const BASE = `
.root{${LIGHT};font:13px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--text)}
.root[data-theme=dark]{${DARK}}
@media (prefers-color-scheme:dark){.root[data-theme=system]{${DARK}}}
*,::before,::after{box-sizing:border-box}
[hidden]{display:none!important}
button,input,textarea,select{font:inherit;color:inherit;letter-spacing:normal}
button{cursor:pointer;border:0;background:none;padding:0;touch-action:manipulation}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.icon{width:16px;height:16px;flex:none;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.layer{position:fixed;inset:0;pointer-events:none;overflow:clip}
${statuses}`;

const PINS = `
.pin{position:absolute;top:0;left:0;display:inline-flex;align-items:center;gap:3px;height:26px;padding:0 8px 0 6px;border-radius:13px 13px 13px 4px;background:var(--status);color:#05060a;font-weight:700;font-size:12px;line-height:1;box-shadow:0 0 0 2px #fff,0 2px 8px #0007;pointer-events:auto;will-change:transform}
.pin .icon{width:13px;height:13px;stroke-width:2}
.outline{position:absolute;top:0;left:0;border:2px solid var(--accent);border-radius:4px;background:color-mix(in srgb,var(--accent) 10%,transparent);box-shadow:0 0 0 1px #fff9}
.outline.area{border-style:dashed}
.outline.soft{border-width:1.5px;background:none}
.label{position:absolute;top:0;left:0;max-width:min(420px,calc(100vw - 16px));padding:3px 8px;border-radius:6px;background:#15181e;color:#fff;font-size:12px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;box-shadow:0 2px 10px #0006}
.label i{font-style:normal;color:#b9c2d0;margin-left:6px}
.hint{position:fixed;top:12px;left:50%;transform:translateX(-50%);display:flex;gap:10px;align-items:center;max-width:calc(100vw - 24px);padding:6px 8px 6px 14px;border-radius:999px;background:#15181e;color:#fff;box-shadow:var(--shadow);pointer-events:auto;font-size:12px}
.hint button{padding:4px 10px;border-radius:999px;background:var(--accent);color:#fff;font-weight:600;white-space:nowrap}
.selection{position:absolute;top:0;left:0;display:inline-flex;gap:6px;align-items:center;padding:5px 10px;border-radius:8px;background:#15181e;color:#fff;font-weight:600;font-size:12px;box-shadow:var(--shadow);pointer-events:auto}`;

const TOOLBAR = `
.bar{position:absolute;top:0;left:0;display:flex;align-items:center;gap:2px;padding:4px;border-radius:14px;background:var(--bg);border:1px solid var(--line);box-shadow:var(--shadow);pointer-events:auto;touch-action:none;user-select:none;max-width:calc(100vw - 8px)}
.bar button,.ghost{display:inline-flex;align-items:center;justify-content:center;gap:5px;min-width:32px;height:32px;padding:0 6px;border-radius:10px;color:var(--soft)}
.bar button:hover,.ghost:hover{background:var(--raised);color:var(--text)}
.bar button[aria-pressed=true]{background:var(--accent);color:#fff}
.bar .grip{min-width:16px;padding:0 1px;cursor:grab;color:var(--soft)}
.bar .grip .icon{stroke-width:2}
.bar .count{font-weight:600;font-size:12px;font-variant-numeric:tabular-nums}
.dot{width:10px;height:10px;border-radius:50%;background:#8a93a3;flex:none}
.dot[data-presence=watching]{background:#22c55e;box-shadow:0 0 0 3px #22c55e3d}
.dot[data-presence=working]{background:#f59e0b;animation:pulse 1.4s ease-in-out infinite}
@keyframes pulse{50%{box-shadow:0 0 0 5px #f59e0b4d}}
.handle{position:absolute;top:0;left:0;display:grid;place-items:center;width:32px;height:32px;border-radius:50%;background:var(--bg);border:1px solid var(--line);box-shadow:var(--shadow);pointer-events:auto;color:var(--soft)}
@media (pointer:coarse){.bar button{min-width:40px;height:44px}.bar .grip{min-width:20px}.pin{height:32px;border-radius:16px 16px 16px 4px;padding:0 10px 0 8px}.handle{width:44px;height:44px}.pill label,.button{min-height:40px}}
@media (max-width:400px){.tools .button .icon{display:none}.bar{gap:0}.bar button{min-width:28px;padding:0 4px}}`;

const PANELS = `
.panel{position:absolute;top:0;left:0;display:flex;flex-direction:column;width:360px;max-width:calc(100vw - 16px);max-height:min(560px,calc(100vh - 16px));border-radius:14px;background:var(--bg);border:1px solid var(--line);box-shadow:var(--shadow);pointer-events:auto;overflow:hidden}
.panel.wide{width:640px}
.head{display:flex;align-items:center;gap:8px;padding:10px 8px 10px 14px;border-bottom:1px solid var(--line)}
.panel h2{flex:1;margin:0;font-size:13px;font-weight:650;line-height:1.3;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.panel h3{margin:4px 0 0;font-size:12px;font-weight:600;color:var(--soft)}
.body{display:flex;flex-direction:column;gap:10px;padding:12px 14px;overflow:auto;overscroll-behavior:contain}
.body>*{flex:none}
.foot{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding:10px 14px;border-top:1px solid var(--line)}
.grow{flex:1}
.meta{display:grid;grid-template-columns:auto 1fr;gap:2px 10px;margin:0;font-size:12px}
.meta dt{color:var(--soft)}
.meta dd{margin:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:11.5px}
.quote{margin:0;padding:4px 10px;border-left:3px solid var(--accent);background:var(--raised);border-radius:0 6px 6px 0;font-size:12px;max-height:72px;overflow:auto;overflow-wrap:anywhere}
.field{display:flex;flex-direction:column;gap:4px;font-size:12px;color:var(--soft);border:0;margin:0;padding:0;min-width:0}
textarea,select,input[type=text]{width:100%;padding:8px 10px;border-radius:8px;border:1px solid color-mix(in srgb,var(--soft) 70%,var(--line));background:var(--bg);color:var(--text);font-size:13px}
textarea{min-height:76px;resize:vertical;line-height:1.45}
::placeholder{color:var(--soft);opacity:1}
.pill{display:flex;flex-wrap:wrap;gap:4px}
.pill label{display:inline-flex;align-items:center;padding:3px 10px;border-radius:999px;border:1px solid var(--line);color:var(--text);cursor:pointer;font-size:12px}
.pill input{position:absolute;opacity:0;width:1px;height:1px}
.pill label:has(:checked){background:var(--accent);border-color:var(--accent);color:#fff}
.pill label:has(:focus-visible){outline:2px solid var(--link);outline-offset:2px}
.pill .swatch{width:14px;height:14px;border-radius:50%;margin-right:6px;box-shadow:0 0 0 1px #fff8}
.button{display:inline-flex;align-items:center;justify-content:center;gap:6px;min-height:32px;padding:0 12px;border-radius:9px;border:1px solid var(--line);background:var(--bg);color:var(--text);font-weight:550;white-space:nowrap}
.button:hover{background:var(--raised)}
.button.main{background:var(--accent);border-color:var(--accent);color:#fff}
.button.main:hover{filter:brightness(1.08)}
.button.danger{color:var(--danger)}
.button:disabled{background:var(--raised);border-color:var(--line);color:var(--soft);cursor:default;filter:none}
.badge{display:inline-flex;align-items:center;gap:4px;padding:2px 8px 2px 6px;border-radius:999px;background:var(--status);color:#05060a;font-size:11.5px;font-weight:650;white-space:nowrap}
.badge .icon{width:12px;height:12px;stroke-width:2}
.said{display:flex;flex-direction:column;gap:8px;margin:0;padding:0;list-style:none}
.said li{padding:7px 10px;border-radius:10px 10px 10px 3px;background:var(--raised);overflow-wrap:anywhere;white-space:pre-wrap}
.said li.mine{background:color-mix(in srgb,var(--accent) 14%,var(--bg));border-radius:10px 10px 3px 10px}
.said b{display:block;font-size:11.5px;font-weight:600;color:var(--soft)}
.said time{font-weight:400}
legend{padding:0}
.list{display:flex;flex-direction:column;gap:2px;margin:0;padding:0;list-style:none}
.list button{display:flex;width:100%;align-items:center;gap:8px;padding:7px 8px;border-radius:8px;text-align:left;color:var(--text)}
.list button:hover{background:var(--raised)}
.list span:last-child{flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.diff{margin:0;border:1px solid var(--line);border-radius:8px;overflow:auto;font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;max-height:300px}
.diff div{padding:0 10px;white-space:pre;min-width:max-content}
.diff .add{background:var(--add);color:var(--add-text)}
.diff .del{background:var(--del);color:var(--del-text)}
.diff .hunk{color:var(--soft);background:var(--raised)}
.diff .file{font-weight:700;padding-top:4px}
.code{margin:0;padding:8px 10px;border-radius:8px;background:var(--raised);font:11.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow:auto;white-space:pre-wrap;word-break:break-all}
.keys{display:grid;grid-template-columns:1fr auto;gap:4px 12px;margin:0;font-size:12px}
.keys dt,.keys dd{margin:0}
.keys dd{text-align:right}
kbd,.key{font:11.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:1px 6px;border-radius:5px;border:1px solid var(--line);background:var(--raised)}
.tools{gap:2px!important}
.row{display:flex;align-items:center;gap:8px;justify-content:space-between}
.check{display:flex;align-items:flex-start;gap:8px;cursor:pointer}
.check input{margin:2px 0 0;accent-color:var(--accent);width:15px;height:15px;flex:none}
.warn{margin:0;padding:8px 10px;border-radius:8px;background:var(--raised);border:1px solid var(--line);font-size:12px}
.soft{color:var(--soft);font-size:12px;margin:0}
.toast{position:absolute;left:50%;bottom:64px;transform:translateX(-50%);display:flex;align-items:center;gap:12px;max-width:calc(100vw - 24px);padding:8px 14px;border-radius:10px;background:#15181e;color:#fff;box-shadow:var(--shadow);pointer-events:auto}
.toast button{color:#9dc0ff;font-weight:650;padding:4px}
@media (max-width:480px){.panel,.panel.wide{transform:none!important;top:auto;left:8px;right:8px;bottom:8px;width:auto;max-height:min(70vh,560px)}textarea,select,input[type=text]{font-size:16px}}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
@media (prefers-reduced-motion:no-preference){.panel,.toast{animation:rise .14s ease-out}@keyframes rise{from{opacity:0}}}
@media (forced-colors:active){.pin,.badge,.bar,.panel{border:1px solid CanvasText;forced-color-adjust:none}}`;

/** The sheet; constructed sheets pass every content policy. */
export function createSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(BASE + PINS + TOOLBAR + PANELS);
  return sheet;
}
