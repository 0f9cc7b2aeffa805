/** The name of the toolset, which grants also use for the server itself; apart, so that knowing it loads no tool. */
export const MANAGEMENT = 'self';
