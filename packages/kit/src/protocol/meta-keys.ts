/** The keys of `_meta` that the protocol reserves; written here, so that whoever reads them need not load the SDK. */

const PREFIX = 'io.modelcontextprotocol/';

/** What each reserved key stands for; everything that begins with the prefix is reserved. */
export const META = {
  prefix: PREFIX,
  protocolVersion: `${PREFIX}protocolVersion`,
  clientCapabilities: `${PREFIX}clientCapabilities`,
  clientInfo: `${PREFIX}clientInfo`,
  logLevel: `${PREFIX}logLevel`,
  serverInfo: `${PREFIX}serverInfo`,
  subscriptionId: `${PREFIX}subscriptionId`,
} as const;
