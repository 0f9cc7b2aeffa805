/** Where the other server is and the key for it, checked before anything starts. */

/** As given on the command line or by variables. */
export interface RemoteSettings {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
}

/** A server to speak to. */
export interface RemoteTarget {
  /** Where its API begins, without a slash at the end. */
  readonly base: string;
  readonly key: string;
}

/** What the check found: a target, or one line about what is wrong. */
export type CheckedSettings =
  | { readonly target: RemoteTarget; readonly warning: string | undefined }
  | { readonly fault: string };

const API_PATH = '/api/v1';
const SHOWN_LENGTH = 200;

/** Checks the settings; the fault never shows the key nor credentials of the address. */
export function checkSettings({ url, apiKey }: RemoteSettings): CheckedSettings {
  if (url === undefined || url === '') return { fault: 'QUACKBACK_URL (or --url) is required' };
  if (apiKey === undefined) return { fault: 'QUACKBACK_API_KEY (or --api-key) is required' };
  // A file that holds a secret often ends in a line break.
  const key = apiKey.trim();
  const address = URL.parse(url);
  const isWeb = address?.protocol === 'http:' || address?.protocol === 'https:';
  if (address === null || !isWeb)
    return { fault: `QUACKBACK_URL is not a valid URL: ${shownAddress(url, key)}` };
  if (address.username !== '' || address.password !== '')
    return { fault: `${CREDENTIALS} ${shownAddress(url, key)}` };
  if (key === '') return { fault: 'QUACKBACK_API_KEY is not a valid key: it is empty' };
  // Visible ASCII is what a header can carry.
  if (!/^[\x21-\x7e]+$/.test(key)) return { fault: `QUACKBACK_API_KEY is not a valid key: ${ODD_KEY}` };
  const isOpen = address.protocol === 'http:' && !isLoopback(address.hostname);
  const warning = isOpen
    ? 'QUACKBACK_URL uses http: the key and all answers travel unencrypted. Use https.'
    : undefined;
  return { target: { base: apiBase(address), key }, warning };
}

const CREDENTIALS =
  'QUACKBACK_URL must not hold a user name or password: leave them out and give the key in QUACKBACK_API_KEY. Without them it is';
const ODD_KEY = 'it holds blanks, line breaks or letters that a header cannot carry';

function apiBase({ origin, pathname }: URL): string {
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  return origin + (path.endsWith(API_PATH) ? path : path + API_PATH);
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}

/** Everything before the last @ may be a password, whatever it looks like. */
function shownAddress(text: string, key: string): string {
  const [bare = ''] = text.split(/[?#]/, 1);
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(bare)?.[0] ?? '';
  const rest = bare.slice(scheme.length);
  const shown = scheme + rest.slice(rest.lastIndexOf('@') + 1);
  const safe = key === '' ? shown : shown.replaceAll(key, '***');
  // One line, whatever was given.
  return safe.replaceAll(/\p{Cc}/gu, ' ').slice(0, SHOWN_LENGTH);
}
