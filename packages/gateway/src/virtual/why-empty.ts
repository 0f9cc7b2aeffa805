/** Why somebody sees no tool of a virtual MCP, in words that name nothing which is hidden. */
import type { ServedVirtualMcp } from '@parley/connections';
import type { Composed } from './compose.ts';

/** The reason, for a caller who has none. */
export function whyEmpty({ members }: ServedVirtualMcp, { tools, present, offered }: Composed): string {
  const reason = () => {
    if (tools.length > 0)
      return 'your grants cover none of them. Ask an owner or administrator for a grant on its connections';
    if (members.length === 0) return 'nothing has been put into it yet';
    if (present === 0) return 'all of its connections are inactive or missing';
    if (offered > 0) return 'its selection leaves none. Whoever keeps it can select some';
    return 'its connections have none now';
  };
  return `You see no tools of this virtual MCP: ${reason()}.`;
}
