/** One finding about a part of the server, as "parley doctor" and the console tell it. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it; absent when there is nothing to do. */
  readonly fix?: string;
}
