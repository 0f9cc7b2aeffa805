/** The page behind an invitation: what it offers, the form, and the key at the end. It needs no script. */
import { escapeHtml, pageOf } from './page.ts';

/** What was typed before, and why it did not do. */
export interface Retry {
  readonly message: string;
  readonly name: string;
  readonly email: string;
  /** True when a key of the person has to be shown. */
  readonly needsKey: boolean;
}

/** The form of an invitation. */
export function invitationPage(
  { organizationName, roles }: { readonly organizationName: string; readonly roles: readonly string[] },
  retry?: Retry,
): string {
  const wrong = retry === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(retry.message)}</p>`;
  const value = (text: string | undefined) => (text === undefined ? '' : ` value="${escapeHtml(text)}"`);
  return pageOf(
    `Join ${organizationName}`,
    `<p>You are invited as <strong>${escapeHtml(roles.join(', '))}</strong>. This link works once.</p>${wrong}
<form method="post">
<label>Your name <input name="name" autocomplete="name" required maxlength="255"${value(retry?.name)}></label>
<label>Your e-mail <span>The one that the invitation was made for.</span>
<input name="email" type="email" autocomplete="email" required maxlength="254"${value(retry?.email)}></label>
<details${retry?.needsKey === true ? ' open' : ''}><summary>I have an account on this server already</summary>
<label>One of your keys <input name="key" type="password" autocomplete="off" maxlength="200"></label></details>
<button>Join</button>
</form>`,
  );
}

/** What somebody sees who joined. */
export function joinedPage(
  {
    organizationName,
    key,
    link,
  }: { readonly organizationName: string; readonly key: string; readonly link: string | undefined },
  mcp: string,
): string {
  const open =
    link === undefined
      ? ''
      : `<p class="next"><a href="${escapeHtml(link)}">Open the console</a> and make yourself a password or a passkey. This link works once, within 15 minutes; the key below signs you in too.</p>`;
  return pageOf(
    `Welcome to ${organizationName}`,
    `${open}<div class="card"><strong>Your key</strong><code>${escapeHtml(key)}</code>
<span>Keep it now: it is shown this once. Whoever has it acts as you.</span></div>
<p class="next">Use it as a bearer token at <code>${escapeHtml(mcp)}</code>, or as PARLEY_KEY on the command line.</p>`,
  );
}
