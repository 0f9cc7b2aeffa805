/** The parts of `subscriptions/listen` that the SDK does not know: extensions join the stream that it opens. */
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Caller, Engine, ExtensionNotice, ExtensionSubscription } from '@parley/kit';
import { META, ProtocolFault, RPC } from '@parley/kit';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

interface ListenBody {
  readonly id?: string | number;
  readonly params?: {
    readonly notifications?: Readonly<Record<string, unknown>>;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

interface OpenPart {
  readonly field: string;
  readonly subscription: ExtensionSubscription;
}

/** What extensions add to one listen stream. */
export class ListenExtras {
  /** The request without the fields of extensions, for the SDK. */
  readonly body: unknown;
  /** True when the request asks for nothing besides. */
  readonly isAlone: boolean;
  readonly #id: string | number;
  readonly #subscriptions: readonly OpenPart[];

  private constructor(
    body: unknown,
    isAlone: boolean,
    id: string | number,
    subscriptions: readonly OpenPart[],
  ) {
    this.body = body;
    this.isAlone = isAlone;
    this.#id = id;
    this.#subscriptions = subscriptions;
  }

  /** Opens what extensions serve of a request; undefined when it asks for nothing of theirs. */
  static async open(
    engine: Engine,
    caller: Caller,
    body: unknown,
    write: (message: object) => void,
  ): Promise<ListenExtras | undefined> {
    // Looked at field by field; what is malformed is left for the SDK to refuse.
    const request = body as ListenBody;
    const filter = request.params?.notifications;
    const { id } = request;
    if (typeof filter !== 'object' || filter === null || id === undefined) return undefined;
    const rest: Record<string, unknown> = { ...filter };
    const subscriptions: OpenPart[] = [];
    for (const { name, listen } of engine.extensions) {
      if (listen === undefined || !Object.hasOwn(filter, listen.field)) continue;
      requireDeclared(request, name);
      delete rest[listen.field];
      const send = (notice: ExtensionNotice) => write(stamped(notice, id));
      subscriptions.push({
        field: listen.field,
        subscription: await listen.open(filter[listen.field], caller, send),
      });
    }
    if (subscriptions.length === 0) return undefined;
    const isAlone = Object.keys(rest).length === 0;
    const sdkBody = { ...request, params: { ...request.params, notifications: rest } };
    return new ListenExtras(sdkBody, isAlone, id, subscriptions);
  }

  /** The acknowledgement with what extensions honour; undefined for any other message. */
  acknowledged(message: unknown): object | undefined {
    // Every message that leaves is looked at; only the acknowledgement has all of this.
    const sent = message as {
      method?: unknown;
      params?: { notifications?: object; _meta?: Record<string, unknown> };
    };
    if (sent.method !== ACKNOWLEDGED || sent.params?._meta?.[META.subscriptionId] !== this.#id)
      return undefined;
    // Standing alone, the SDK's part is only there to keep its stream open.
    const own = this.isAlone ? {} : sent.params.notifications;
    const honored = Object.fromEntries(
      this.#subscriptions.map(({ field, subscription }) => [field, subscription.honored]),
    );
    return {
      ...sent,
      params: { ...sent.params, notifications: { ...own, ...honored } },
    };
  }

  start(): void {
    for (const { subscription } of this.#subscriptions) subscription.start();
  }

  close(): void {
    for (const { subscription } of this.#subscriptions) subscription.close();
  }
}

function requireDeclared({ params }: ListenBody, extension: string): void {
  const declared = params?._meta?.[META.clientCapabilities] as
    | { extensions?: Record<string, unknown> }
    | undefined; // checked by the SDK before
  if (declared?.extensions !== undefined && Object.hasOwn(declared.extensions, extension)) return;
  throw new ProtocolFault(
    RPC.missingCapability,
    'This request needs an extension which it does not declare',
    {
      requiredCapabilities: { extensions: { [extension]: {} } },
    },
  );
}

function stamped({ method, params }: ExtensionNotice, id: string | number): object {
  return { jsonrpc: '2.0', method, params: { ...params, _meta: { [META.subscriptionId]: id } } };
}

/** The SDK ends a stream that asks for nothing it knows; this keeps it open, over a bus that carries only what the request itself asked for. */
export function keptOpen(body: unknown): unknown {
  const request = body as ListenBody; // what `ListenExtras.open` has just written
  return { ...request, params: { ...request.params, notifications: { toolsListChanged: true } } };
}

type Fetch = McpHttpHandler['fetch'];

/** Where notices go: into the stream once it is open, nowhere before and after. */
export class Outbox {
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #encoder = new TextEncoder();

  open(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  close(): void {
    this.#controller = undefined;
  }

  readonly write = (message: object): void => {
    this.#controller?.enqueue(this.#encoder.encode(frameOf(message)));
  };
}

/** Lets a stream of the SDK carry the notices of extensions too: the rewritten acknowledgement first, then both. */
export function mergeIntoStream(fetch: Fetch, extras: ListenExtras, outbox: Outbox): Fetch {
  return async (request, options) => {
    const response = await fetch(request, options);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (isStream && response.body !== null) {
      const body = mergedBody(response.body, extras, outbox);
      return new Response(body, { status: response.status, headers: response.headers });
    }
    extras.close();
    return response;
  };
}

function mergedBody(
  source: ReadableStream<Uint8Array>,
  extras: ListenExtras,
  outbox: Outbox,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let isAcknowledged = false;
  const end = () => {
    extras.close();
    outbox.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        end();
        throw error;
      });
      if (done) {
        end();
        controller.close();
      } else if (isAcknowledged) {
        controller.enqueue(value);
      } else {
        isAcknowledged = true;
        controller.enqueue(withAcknowledgement(value, extras));
        outbox.open(controller);
        extras.start();
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}

function frameOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

const FIRST_FRAME = /^event: message\ndata: (.*)\n\n/;

/** The first frame is the acknowledgement, whole: the SDK enqueues it as one chunk. */
function withAcknowledgement(chunk: Uint8Array, extras: ListenExtras): Uint8Array {
  const text = new TextDecoder().decode(chunk);
  const match = FIRST_FRAME.exec(text);
  const acknowledged = match?.[1] === undefined ? undefined : extras.acknowledged(JSON.parse(match[1]));
  if (match === null || acknowledged === undefined) return chunk;
  return new TextEncoder().encode(frameOf(acknowledged) + text.slice(match[0].length));
}
