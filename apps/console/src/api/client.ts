/** Owns every request of the console: one fetch with the CSRF token, one error shape, the fresh sign-in in between. */

/** What a refused request says; `requestId` is what an operator finds in the log. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly details: unknown;
  readonly requestId: string | undefined;

  constructor(
    message: string,
    about: {
      code: string;
      status: number;
      fields?: Record<string, string>;
      details?: unknown;
      requestId?: string;
    },
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = about.code;
    this.status = about.status;
    this.fields = about.fields ?? {};
    this.details = about.details;
    this.requestId = about.requestId;
  }
}

/** The code of a refusal that goes away when the person proves themselves again. */
export const FRESH_SIGN_IN = 'FRESH_SIGN_IN';

/** The code of a refusal of a tab that shows an organization which its session has left. */
const ELSEWHERE = 'CSRF';

/** The values of a query string; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, QueryValue | undefined>>;

/** A value in an address, where everything is text. */
export type QueryValue = string | number | boolean;

/** What a request may carry besides its address. */
export interface RequestOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal;
  readonly headers?: Record<string, string>;
}

/** Hooks of the frame: set once at the start, so that this file needs to know no component. */
export const clientHooks: {
  /** Asks the person to sign in again; true: the act may be repeated. */
  onFreshSignIn: () => Promise<boolean>;
  onSignedOut: () => void;
  /** The session is another one, or in another organization, than this tab shows. */
  onElsewhere: () => void;
  onReachable: (isReachable: boolean) => void;
} = { onFreshSignIn: async () => false, onSignedOut: () => {}, onElsewhere: () => {}, onReachable: () => {} };

let csrfToken = '';

/** Takes the token of the session; every change sends it. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Sends a request and gives the answer itself, for streams and files; a refusal is thrown. */
export async function send(
  method: string,
  path: string,
  body: unknown,
  options: RequestOptions = {},
): Promise<Response> {
  const response = await sendOnce(method, path, body, options);
  if (response.ok) return response;
  const error = await refusalOf(response);
  if (error.code === ELSEWHERE) {
    clientHooks.onElsewhere();
    throw new ApiError(
      'Another tab has gone to another organization or signed in anew. This one follows; nothing was changed.',
      { code: ELSEWHERE, status: error.status, requestId: error.requestId },
    );
  }
  if (error.status === 403 && error.code === FRESH_SIGN_IN && (await clientHooks.onFreshSignIn())) {
    const again = await sendOnce(method, path, body, options);
    if (again.ok) return again;
    throw await refusalOf(again);
  }
  if (error.status === 401 && !path.startsWith('/api/session')) clientHooks.onSignedOut();
  throw error;
}

async function sendOnce(
  method: string,
  path: string,
  body: unknown,
  options: RequestOptions,
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  const isFile = body instanceof Blob;
  if (method !== 'GET' && method !== 'HEAD') headers['x-csrf-token'] = csrfToken;
  if (body !== undefined && !isFile) headers['content-type'] ??= 'application/json';
  const address = path + queryText(options.query);
  const content = body === undefined ? undefined : isFile ? body : JSON.stringify(body);
  const attempt = method === 'POST' && typeof content === 'string' ? attemptAt(address, content) : undefined;
  if (attempt !== undefined) headers['idempotency-key'] = attempt.key;
  try {
    const response = await fetch(address, {
      method,
      headers,
      body: content,
      signal: options.signal,
      credentials: 'same-origin',
    });
    clientHooks.onReachable(true);
    attempt?.answered();
    return response;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw unreachable();
  }
}

const MOST_UNANSWERED = 50;
/** Whoever sends the same words much later means them anew. */
const SAME_FOR_MS = 10 * 60_000;

/** What was sent and not answered: the server may have done it, and doing it again would do it twice. */
const unanswered = new Map<string, { readonly key: string; readonly sinceMs: number }>();

/** One attempt to have something done: the same request after one without an answer has the same key. */
function attemptAt(address: string, content: string): { readonly key: string; answered(): void } {
  const what = `${address}\n${content}`;
  const known = unanswered.get(what);
  const isSame = known !== undefined && performance.now() - known.sinceMs < SAME_FOR_MS;
  const attempt = isSame ? known : { key: newKey(), sinceMs: performance.now() };
  unanswered.delete(what);
  unanswered.set(what, attempt);
  const [oldest] = unanswered.keys();
  if (unanswered.size > MOST_UNANSWERED && oldest !== undefined) unanswered.delete(oldest);
  return { key: attempt.key, answered: () => unanswered.delete(what) };
}

// `crypto.randomUUID` is there on https and localhost only.
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function unreachable(): ApiError {
  clientHooks.onReachable(false);
  return new ApiError('The server cannot be reached. What you typed is still here; try again in a moment.', {
    code: 'UNREACHABLE',
    status: 0,
  });
}

/** The query string with its question mark, or nothing. */
export function queryText(query: Query | undefined): string {
  const entries = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

/** The whole body of an answer. */
export async function readBody<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T; // Only routes without an answer do this
  try {
    return (await response.json()) as T; // The route's document says what it is
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    // The answer broke off: the server went away in the middle of it.
    throw unreachable();
  }
}

/** What an answer is about: its `data`, or all of it where the form is settled elsewhere. */
export async function dataOf<T>(response: Response): Promise<T> {
  const body = await readBody<unknown>(response);
  const isWrapped = typeof body === 'object' && body !== null && 'data' in body;
  return (isWrapped ? body.data : body) as T; // The route's document says what it is
}

async function refusalOf(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body: unknown = await response.json().catch(() => undefined); // A proxy's page: the status has to do
  const error = readObject(readObject(body)['error']);
  const message = typeof error['message'] === 'string' ? error['message'] : textOfStatus(response.status);
  const code = typeof error['code'] === 'string' ? error['code'] : `HTTP_${response.status}`;
  const listed = readObject(readObject(error['details'])['errors']);
  const fields = Object.entries({ ...listed, ...readObject(error['fields']) }).flatMap(([name, rules]) => {
    const text: unknown = Array.isArray(rules) ? rules.join(' ') : rules;
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  return new ApiError(message, {
    code,
    status: response.status,
    fields: Object.fromEntries(fields),
    details: error['details'],
    requestId,
  });
}

function readObject(value: unknown): Record<string, unknown> {
  // Any object can be read by name
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOfStatus(status: number): string {
  if (status === 502 || status === 503 || status === 504)
    return 'The server is not answering right now. It is tried again by itself.';
  return `The server answered with status ${status} and no reason.`;
}
