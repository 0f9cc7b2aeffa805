/** What every member may do with the management tools; custom roles build on it. */
export const MEMBER_TOOLS: readonly string[] = [
  'COLLECTION_THREADS_CREATE',
  'COLLECTION_THREADS_DELETE',
  'COLLECTION_THREADS_GET',
  'COLLECTION_THREADS_LIST',
  'COLLECTION_THREADS_UPDATE',
  'COLLECTION_THREAD_MESSAGES_LIST',
  'MEMBER_TAGS_GET',
  'PROJECT_GET',
  'PROJECT_LIST',
  'TAGS_LIST',
  'USER_GET',
];
