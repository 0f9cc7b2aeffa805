/** Pages that people see: forms, the sign-in cookie, and what is sent with a tag. */
export { checkedFields, readForm } from './body/form.ts';
export type { HttpAnswer } from './respond/respond.ts';
export { tagged, writeAnswer } from './respond/respond.ts';
export { createPaths } from './route/paths.ts';
export {
  awayNonce,
  consoleToken,
  dropConsoleToken,
  dropToken,
  keepAwayNonce,
  keepConsoleToken,
  keepToken,
  sessionToken,
} from './session/cookies.ts';
export { checkSameOrigin, hasToken } from './session/csrf.ts';
export { isHttps, signedIn } from './session/signed-in.ts';
