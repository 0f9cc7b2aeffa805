/** The name of the toolset, which grants also use for the server itself; apart, so that knowing it loads no tool. */
export const MANAGEMENT = 'self';

/** The tool that is there only where the store can keep databases apart. */
export const SQL_TOOL = 'DATABASES_RUN_SQL';
