/** Owns reading an event stream that is the answer to a POST, which EventSource cannot do. */

/** Reads events until the stream ends; data that is no JSON is handed on as text. */
export async function readServerEvents(
  response: Response,
  onEvent: (name: string, data: unknown) => void,
): Promise<void> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? '';
    const parts = rest.split(/\r?\n\r?\n/);
    rest = done ? '' : (parts.pop() ?? '');
    for (const part of parts) handOn(part, onEvent);
    if (done) return;
  }
}

function handOn(part: string, onEvent: (name: string, data: unknown) => void): void {
  let name = 'message';
  const data: string[] = [];
  for (const line of part.split(/\r?\n/)) {
    if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
  }
  if (data.length > 0) onEvent(name, parse(data.join('\n')));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
