/** Refusals of a request before any work is done for it. */

/** A refusal that knows its HTTP status, and the JSON-RPC code for surfaces that speak it. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Code for refusals below the protocol, as the SDK uses it. */
export const REFUSED = -32000;
