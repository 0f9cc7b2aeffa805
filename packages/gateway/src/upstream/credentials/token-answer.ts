/** What a token endpoint gave, checked: a token that fits into a header, and a time that means something. */
import type { NewToken } from '@parley/connections';
import type { TokenEndpointResponse } from 'oauth4webapi';

/** What is kept of an answer. */
export type GivenToken = Pick<NewToken, 'access' | 'refresh' | 'expiresAt' | 'scope'>;

const VISIBLE = /^[\x21-\x7e]{1,8192}$/;
const LONGEST_SCOPE = 4000;
const LONGEST_MS = 10 * 365 * 24 * 3_600_000;

/** The token, or undefined when nobody could use it. */
export function givenToken(answer: TokenEndpointResponse, now: number): GivenToken | undefined {
  const { access_token: access, refresh_token: refresh, token_type, expires_in, scope } = answer;
  if (token_type !== 'bearer' || !VISIBLE.test(access)) return undefined;
  if (refresh !== undefined && !VISIBLE.test(refresh)) return undefined;
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(expires_in !== undefined && { expiresAt: now + Math.min(Math.floor(expires_in * 1000), LONGEST_MS) }),
    ...(scope !== undefined && { scope: scope.slice(0, LONGEST_SCOPE) }),
  };
}
