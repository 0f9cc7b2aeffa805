/** The signing secrets of webhooks, and the signature that proves an event is ours (Standard Webhooks). */
import { createHmac, randomBytes } from 'node:crypto';
import type { SecretBox } from '@parley/store';
import { SecretOpenError } from '@parley/store';
import type { WebhookRow } from '../schema.ts';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;

/** The columns that hold a sealed secret. */
type SecretColumn = 'secret' | 'previous_secret';

/** A new secret, to be shown once. */
export function newSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64');
}

/** Seals a secret for one column of one webhook. */
export function sealSecret(
  box: SecretBox,
  webhook: Pick<WebhookRow, 'id' | 'organization_id'>,
  column: SecretColumn,
  secret: string,
): string {
  return box.seal(secret, contextOf(webhook, column));
}

/** Opens a sealed secret; undefined when the key of the server that sealed it is gone. */
export function openSecret(
  box: SecretBox,
  webhook: WebhookRow,
  column: SecretColumn = 'secret',
): string | undefined {
  const sealed = webhook[column];
  if (sealed === null) return undefined;
  try {
    return box.open(sealed, contextOf(webhook, column));
  } catch (error) {
    if (error instanceof SecretOpenError) return undefined;
    throw error;
  }
}

/** The secrets that sign at a time: the current one, and the one before it for a while after a rotation. */
export function signingSecrets(box: SecretBox, webhook: WebhookRow, now: number): string[] {
  const hasPrevious = (webhook.previous_until ?? 0) > now;
  const columns: SecretColumn[] = hasPrevious ? ['secret', 'previous_secret'] : ['secret'];
  return columns.flatMap((column) => openSecret(box, webhook, column) ?? []);
}

/** The value of `webhook-signature`: one signature per secret, with a space between. */
export function signatures(
  secrets: readonly string[],
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const signed = `${message.id}.${message.timestamp}.${message.body}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    })
    .join(' ');
}

function contextOf(
  { id, organization_id }: Pick<WebhookRow, 'id' | 'organization_id'>,
  column: SecretColumn,
) {
  return { organizationId: organization_id, rowId: `${id}/${column}` };
}
