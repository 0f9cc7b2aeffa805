/** A visitor of the page: speaks the browser link, as the overlay does where WebSocket is blocked. */
import { randomUUID } from 'node:crypto';

const ORIGIN = 'http://localhost:5173';
const PAGE = { url: `${ORIGIN}/`, title: 'Shop', viewport: { width: 1280, height: 720, pixelRatio: 1 } };

/** Points at the heading, writes the note and sends it; returns its id. */
export async function annotate(url: string, pageToken: string, annotationText: string): Promise<string> {
  const hello = { token: pageToken, ...PAGE, userAgent: 'Visitor', framework: 'none', protocol: 1 };
  const { sessionToken } = await send<{ sessionToken: string }>(url, 'hello', hello);
  const note = {
    ...PAGE,
    clientId: randomUUID(),
    annotationText,
    kind: 'element',
    scroll: { x: 0, y: 0 },
    selector: 'h1',
    elementPath: 'body > h1',
    element: 'h1 "Welcom"',
    domSnapshot: '<h1>Welcom</h1>',
    boundingBox: { x: 0, y: 0, width: 300, height: 40, fixed: false },
  };
  const { annotation } = await send<{ annotation: { id: string } }>(
    url,
    'annotation:create',
    note,
    sessionToken,
  );
  return annotation.id;
}

async function send<Payload>(url: string, type: string, payload: object, token?: string): Promise<Payload> {
  const answer = await fetch(`${url}/__parley/messages`, {
    method: 'POST',
    headers: {
      origin: ORIGIN,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ type, id: randomUUID(), payload }),
  });
  const message = (await answer.json()) as { payload: Payload };
  if (!answer.ok) throw new Error(`${type}: ${JSON.stringify(message)}`);
  return message.payload;
}
