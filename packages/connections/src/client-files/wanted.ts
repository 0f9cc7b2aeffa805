/** A connection as a command line or a client's file describes it, and the data that is stored for it. */
import { describeIssues, ToolError } from '@parley/kit';
import { ConnectionCreate } from '../shapes/connection-data.ts';

/** A program that speaks MCP over its standard input and output. */
export interface WantedProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** A connection to be made: at an address, or to a program. */
export interface Wanted {
  readonly title: string;
  readonly id?: string | undefined;
  readonly pinning?: string | undefined;
  readonly to:
    | {
        readonly type: string;
        readonly url: string;
        readonly token?: string | undefined;
        readonly headers: Readonly<Record<string, string>>;
      }
    | { readonly type: 'STDIO'; readonly program: WantedProgram };
}

/** The data of a connection; throws a sentence on what no connection can have, without saying a value back. */
export function connectionData({ title, id, pinning, to }: Wanted): ConnectionCreate {
  const parsed = ConnectionCreate.safeParse({
    title,
    ...(id !== undefined && { id }),
    connection_type: to.type,
    ...('program' in to ? programData(to.program) : addressData(to)),
    ...(pinning !== undefined && { metadata: { gateway: { pinning } } }),
  });
  if (parsed.success) return parsed.data;
  throw new ToolError('invalid', describeIssues(parsed.error.issues));
}

function programData({ command, args, cwd, env }: WantedProgram) {
  const envVars = Object.keys(env).length === 0 ? {} : { envVars: env };
  return { connection_headers: { command, args, ...(cwd !== undefined && { cwd }), ...envVars } };
}

function addressData({ url, token, headers }: Extract<Wanted['to'], { url: string }>) {
  // It is refused when it is stored, too, and then a dry run would have promised something.
  if (!['http:', 'https:'].includes(URL.parse(url)?.protocol ?? ''))
    throw new ToolError('invalid', 'connection_url: must be an address like https://host/mcp');
  return {
    connection_url: url,
    ...(token !== undefined && { connection_token: token }),
    ...(Object.keys(headers).length > 0 && { connection_headers: { headers } }),
  };
}
