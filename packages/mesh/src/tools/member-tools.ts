/** What every member may do with the management tools; custom roles build on it. */
export const MEMBER_TOOLS: readonly string[] = [
  'API_KEY_CREATE',
  'API_KEY_DELETE',
  'API_KEY_LIST',
  'API_KEY_UPDATE',
  'ORGANIZATION_GET',
  'ORGANIZATION_LIST',
  'ORGANIZATION_MEMBER_LIST',
  'ORGANIZATION_SETTINGS_GET',
  'USER_GET',
];
