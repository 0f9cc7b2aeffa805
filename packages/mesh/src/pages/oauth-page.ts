/** The pages of an authorization: before a browser leaves for another site, and when it is back. They need no script. */
import type { AuthorizationOffer, Authorized } from '@parley/connections';
import { escapeHtml, pageOf } from './page.ts';

/** What somebody is about to do, and for whom: whoever did not ask for it can still turn back. */
export function offerPage({ title, host, name }: AuthorizationOffer): string {
  return pageOf(
    `Authorise ${title}`,
    `<p>Whatever account you sign in with at <strong>${escapeHtml(host)}</strong> will be used by
<strong>${escapeHtml(name ?? 'everybody in the organization')}</strong>. Go on only if you asked for this yourself.</p>
<form method="post"><button>Go on</button></form>`,
  );
}

/** The end. */
export function authorizedPage({ title, name }: Authorized): string {
  return pageOf(
    `${title} is authorised`,
    `<p>It is used for <strong>${escapeHtml(name ?? 'everybody in the organization')}</strong>. You can close this window.</p>`,
  );
}
