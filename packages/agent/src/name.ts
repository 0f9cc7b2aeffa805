/** The name of the toolset, in grants and in its URL; known without loading its code. */
export const AGENT = 'agent';
