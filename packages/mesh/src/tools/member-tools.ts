/** What every member may do with the management tools; custom roles build on it. */
export const MEMBER_TOOLS: readonly string[] = [
  'COLLECTION_CONNECTIONS_GET',
  'COLLECTION_CONNECTIONS_LIST',
  'COLLECTION_VIRTUAL_MCP_GET',
  'COLLECTION_VIRTUAL_MCP_LIST',
  'USER_GET',
];
