/** Owns speaking with an app in its frame: JSON-RPC by messages, as the extension for apps has it. */
import type { ToolResult } from '../../api/call-tool.ts';
import { isDarkNow } from '../../frame/shown-theme.ts';

/** What the app gets, and what it may ask for. */
export interface AppParts {
  readonly html: string;
  readonly args: unknown;
  readonly result: ToolResult;
  readonly onHeight: (px: number) => void;
  /** It wants a page opened: the person decides. */
  readonly onLink: (href: string) => void;
}

const PROTOCOL = '2026-01-26';
const NOT_OFFERED = -32_601;

interface AppMessage {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Hands the page over and answers the app until the returned function is called. The frame has no origin, so
 * messages are told apart by the window they come from. An app gets what it was made for and calls no tools itself:
 * the person runs tools here.
 */
export function hostApp(frame: HTMLIFrameElement, parts: AppParts): () => void {
  const send = (message: object) => frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const notify = (method: string, params: object) => send({ method, params });
  const onMessage = (event: MessageEvent<unknown>) => {
    if (event.source !== frame.contentWindow || event.source === null) return;
    if (event.data === 'parley-app-frame')
      return frame.contentWindow?.postMessage({ parleyPage: parts.html }, '*');
    const message = event.data as AppMessage | null; // Looked at field by field below
    if (typeof message !== 'object' || message === null || typeof message.method !== 'string')
      return undefined;
    return take(message.method, message);
  };
  const take = (method: string, { id, params = {} }: AppMessage): void => {
    switch (method) {
      case 'ui/initialize':
        return send({ id, result: hostInfo() });
      case 'ui/notifications/initialized':
        notify('ui/notifications/tool-input', { arguments: parts.args });
        return notify('ui/notifications/tool-result', parts.result);
      case 'ui/notifications/size-changed':
        return typeof params['height'] === 'number' ? parts.onHeight(params['height']) : undefined;
      case 'ui/open-link':
        if (typeof params['url'] === 'string' && /^https?:\/\//.test(params['url']))
          parts.onLink(params['url']);
        return send({ id, result: {} });
      case 'ping':
        return send({ id, result: {} });
      default:
        if (id !== undefined)
          send({ id, error: { code: NOT_OFFERED, message: 'The runner does not offer this.' } });
    }
  };
  addEventListener('message', onMessage);
  return () => removeEventListener('message', onMessage);
}

function hostInfo(): object {
  return {
    protocolVersion: PROTOCOL,
    hostInfo: { name: 'Parley console', version: '1' },
    hostCapabilities: { openLinks: {} },
    hostContext: {
      theme: isDarkNow() ? 'dark' : 'light',
      displayMode: 'inline',
    },
  };
}
