/** The address of an invitation: `/join/TOKEN` shows the form, and takes it. */
import type { IncomingMessage } from 'node:http';
import type { RouteSet } from '@parley/http';
import { checkSameOrigin, readForm } from '@parley/http/pages';
import type { Identity } from '@parley/identity';
import { ToolError } from '@parley/kit';
import { invitationPage, joinedPage } from './join-page.ts';
import { countPerMinute, requireMethod, secretPages } from './secret-pages.ts';
import type { Page, SecretPageOptions } from './secret-pages.ts';

export interface JoinOptions extends SecretPageOptions {
  readonly invitations: Identity['invitations'];
  /** Makes the link into the console; absent: there is none. */
  readonly web?: Pick<Identity['web'], 'createLink' | 'isOpen'>;
}

/** Where invitations are. */
export const JOIN_PREFIX = '/join';

const FORMS_PER_MINUTE = 10;
const MAX_FIELD_LENGTH = 255;

/** Creates the routes. */
export function createJoinRoutes(options: JoinOptions): RouteSet {
  const { invitations, publicUrl, web } = options;
  const countForm = countPerMinute(options, FORMS_PER_MINUTE);

  /** Leads into the console once; who joined to use the pages of feedback alone has no place there. */
  async function wayIn(email: string): Promise<string | undefined> {
    if (web?.isOpen !== true) return undefined;
    try {
      return `/console/sign-in#token=${(await web.createLink(email)).token}`;
    } catch (error) {
      if (error instanceof ToolError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  async function join(req: IncomingMessage, token: string): Promise<Page> {
    checkSameOrigin(req, publicUrl);
    countForm(req);
    const form = await readForm(req);
    const field = (name: string) => (form.get(name) ?? '').slice(0, MAX_FIELD_LENGTH + 1).trim();
    const joining = { name: field('name').replace(/\p{C}/gu, ''), email: field('email') };
    const key = field('key');
    try {
      const joined = await invitations.accept(token, { ...joining, ...(key !== '' && { key }) });
      const link = await wayIn(joining.email);
      return { status: 200, body: joinedPage({ ...joined, link }, `${baseOf(req, publicUrl)}/mcp`) };
    } catch (error) {
      const mayTryAgain = error instanceof ToolError && ['forbidden', 'invalid'].includes(error.code);
      if (!mayTryAgain) throw error;
      const status = error.code === 'invalid' ? 400 : 403;
      const invitation = await invitations.open(token);
      const retry = { ...joining, message: error.message, needsKey: error.data !== undefined };
      return { status, body: invitationPage(invitation, retry) };
    }
  }

  return secretPages(options, {
    name: 'Invitations',
    prefix: JOIN_PREFIX,
    ...(web?.isOpen === true && {
      instead: { path: '/console', text: 'Joined already? Sign in to the console.' },
    }),
    routes: [`GET ${JOIN_PREFIX}/:token`, `POST ${JOIN_PREFIX}/:token`],
    async answer(req, { pathname }) {
      requireMethod(req, ['GET', 'HEAD', 'POST']);
      const token = pathname.slice(JOIN_PREFIX.length + 1);
      if (req.method === 'POST') return join(req, token);
      return { status: 200, body: invitationPage(await invitations.open(token)) };
    },
  });
}

function baseOf({ headers: { host = 'localhost' } }: IncomingMessage, publicUrl: string | undefined): string {
  return publicUrl ?? `http://${host}`;
}
