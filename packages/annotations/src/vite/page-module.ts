/** Owns the one module that pages load: it brings the overlay, once, into whatever page asks for it. */
import type { DevSettings } from '../overlay/config.ts';
import { CLASS_MODULE } from './sources/angular.ts';

/** Where pages find the module, below the dev server's base. */
export const PAGE_MODULE = '/@parley/overlay.js';

const OVERLAY = '/__parley/overlay.js';

/** What the overlay is told by the dev server. */
export interface PageSettings {
  readonly token: string;
  /** Hosts besides loopback where the overlay may run. */
  readonly hosts: readonly string[];
  readonly dev: DevSettings;
}

/** The URL of the module for pages under this base. */
export function pageModuleUrl(base: string): string {
  return `${base}${PAGE_MODULE.slice(1)}`;
}

/** The text of the module. */
export function pageModule({ token, hosts, dev }: PageSettings): string {
  return `
import { onClassFiles } from '${CLASS_MODULE}';
if (typeof document !== 'undefined') {
  const script = document.createElement('script');
  script.src = new URL(${JSON.stringify(OVERLAY)}, new URL(import.meta.url)).href;
  script.dataset.token = ${JSON.stringify(token)};
  script.dataset.hosts = ${JSON.stringify(hosts.join(' '))};
  script.dataset.dev = ${JSON.stringify(JSON.stringify(dev))};
  const nonce = document.querySelector('script[nonce]')?.nonce;
  if (nonce) script.nonce = nonce;
  script.onload = () => onClassFiles((files) => globalThis[Symbol.for('parley.overlay')]?.setClassFiles(files));
  script.onerror = () => console.warn(${JSON.stringify(offLine(dev))});
  document.head.append(script);
}
`;
}

function offLine({ server }: DevSettings): string {
  const off = 'Parley is off on this page: its overlay does not load';
  if (server === undefined) return `${off}. The log of the dev server says why.`;
  return `${off} from ${server}. Start that Parley, then reload.`;
}

/** What is added to Vite's own client, so that pages which no HTML hook sees load the module too. */
export function loadPageModule(base: string): string {
  const url = JSON.stringify(pageModuleUrl(base));
  return `\nif (typeof document !== 'undefined') import(/* @vite-ignore */ new URL(${url}, import.meta.url).href).catch(() => {});\n`;
}
