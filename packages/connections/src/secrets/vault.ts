/** The part of a connection that is stored sealed: what was given, without masks. */
import type { SecretBox } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { OAuthConfig, StoredUpstream } from '../shapes/connection-data.ts';

/** What a connection keeps to itself. */
export interface ConnectionSecrets {
  readonly connection_url: string | null;
  readonly connection_token: string | null;
  readonly connection_headers: StoredUpstream | null;
  readonly oauth_config: OAuthConfig | null;
  readonly configuration_state: Readonly<Record<string, unknown>> | null;
}

/** Those of a connection that has none. */
export const NO_SECRETS: ConnectionSecrets = {
  connection_url: null,
  connection_token: null,
  connection_headers: null,
  oauth_config: null,
  configuration_state: null,
};

interface Row {
  readonly id: string;
  readonly organization_id: string;
}

// The column is part of the name, so that a value cannot be moved to another one.
const contextOf = ({ id, organization_id }: Row, column: string) => ({
  organizationId: organization_id,
  rowId: `${id}/${column}`,
});

/** Seals what a connection keeps to itself. */
export function sealConnection(box: SecretBox, row: Row, secrets: ConnectionSecrets): string {
  return box.seal(toJson(secrets), contextOf(row, 'secrets'));
}

/** Opens it again. */
export function openConnection(
  box: SecretBox,
  row: Row & { readonly secrets: string | null },
): ConnectionSecrets {
  if (row.secrets === null) return NO_SECRETS;
  return fromJson<ConnectionSecrets>(box.open(row.secrets, contextOf(row, 'secrets')));
}

/** What an upstream gave for one person. */
export interface TokenSecrets {
  readonly access: string;
  readonly refresh?: string;
  readonly clientSecret?: string;
  /** The token endpoint as it is asked, where its address holds a secret. */
  readonly endpoint?: string;
}

export function sealToken(box: SecretBox, row: Row, secrets: TokenSecrets): string {
  return box.seal(toJson(secrets), contextOf(row, 'tokens'));
}

export function openToken(box: SecretBox, row: Row & { readonly secrets: string }): TokenSecrets {
  return fromJson<TokenSecrets>(box.open(row.secrets, contextOf(row, 'tokens')));
}

/** Seals a text of a row, under the name of what it is. */
export function sealText(box: SecretBox, row: Row, what: string, text: string): string {
  return box.seal(text, contextOf(row, what));
}

export function openText(box: SecretBox, row: Row, what: string, sealed: string): string {
  return box.open(sealed, contextOf(row, what));
}
