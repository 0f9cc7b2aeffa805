/** Owns the shapes of what the routes below /api answer, as far as more than one screen uses them. */

/** What a tool does at worst. */
export type Effect = 'read' | 'create' | 'update' | 'delete' | 'run';

/** The names of the entries of the rail, which the server sends as far as the person has their tools. */
export type RailName =
  | 'home'
  | 'annotations'
  | 'feedback'
  | 'tasks'
  | 'agents'
  | 'connections'
  | 'tools'
  | 'events'
  | 'monitoring'
  | 'organization';

/** Ways to sign in that the server offers. */
export type SignInMethod = 'link' | 'password' | 'passkey' | 'key';

/** Who is signed in, where, and what they see. */
export interface Session {
  readonly person: {
    readonly id: string;
    readonly userId: string;
    readonly name: string;
    readonly email: string | null;
  };
  readonly role: string;
  /** By any of the roles; nothing compares their names. */
  readonly isAdministrator: boolean;
  readonly organization: {
    readonly id: string;
    readonly name: string;
    readonly slug: string;
    readonly accent?: string;
  };
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
  readonly csrfToken: string;
  readonly freshUntil: string;
  readonly hasPassword: boolean;
  readonly passkeys: number;
  readonly isFirstRun: boolean;
  /** The first run was left before it was done. */
  readonly isFirstRunSkipped: boolean;
  readonly rail: readonly RailName[];
  /** Programs may be added here, and not only on the machine of the server. */
  readonly startsPrograms: boolean;
  readonly version: string;
}

/** A tool as the console lists it. */
export interface ToolRow {
  readonly endpoint: string;
  readonly endpointTitle: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly hints: Readonly<Record<string, boolean>>;
  readonly tokens: number;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly task?: string | null;
  readonly isExternal: boolean;
  readonly isPrivileged: boolean;
  readonly source: 'toolset' | 'connection' | 'virtual';
  /** The document of the MCP App that shows its results. */
  readonly app?: string;
}

/** What the stream tells about. */
export type Topic =
  | 'annotations'
  | 'posts'
  | 'tasks'
  | 'agents'
  | 'questions'
  | 'connections'
  | 'virtual-mcps'
  | 'events'
  | 'deliveries'
  | 'calls'
  | 'members'
  | 'keys'
  | 'sessions'
  | 'organization'
  | 'schedules'
  | 'memory';
