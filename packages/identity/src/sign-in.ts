/** Everything about signing in to the console: loaded together, by the first browser that comes. */
export { accountOf, changeAccount, setPassword } from './services/sign-in/account.ts';
export { enter, isAgain } from './services/sign-in/entering.ts';
export { createLink, hasOwnerSignIn } from './services/sign-in/links.ts';
export { teamMemberships } from './services/sign-in/memberships.ts';
export {
  addPasskey,
  askForNewPasskey,
  askForPasskey,
  listPasskeys,
  removePasskey,
} from './services/sign-in/passkeys.ts';
export {
  endTeamSession,
  endWebSessions,
  findWebSession,
  listTeamSessions,
  listWebSessions,
  moveWebSession,
  proveWebSession,
} from './services/sign-in/web-sessions.ts';
