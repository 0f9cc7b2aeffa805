/** What every member may do with the management tools; custom roles build on it. */
export const MEMBER_TOOLS: readonly string[] = ['USER_GET'];
