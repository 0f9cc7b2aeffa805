/** The modes of a virtual MCP. */

/** What a client sees of a virtual MCP. */
export const MODES = ['passthrough', 'smart_tool_selection', 'code_execution'] as const;
export type Mode = (typeof MODES)[number];
