/** What is kept of a standard error, and what never is. */
import { expect, test } from 'vitest';
import { StderrRing } from './stderr-ring.ts';
import { MOST_STDERR_BYTES } from './times.ts';

function textOf(text: string, secrets: string[], chunkBytes = 1000): string {
  const ring = new StderrRing(secrets);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) ring.add(bytes.subarray(at, at + chunkBytes));
  return ring.text();
}

test('secrets are cut out, also where one lies in another or in two chunks', () => {
  expect(textOf('a tök€n-one b tök€n c tök€n-one', ['tök€n', 'tök€n-one', ''], 3)).toBe(
    'a [secret] b [secret] c [secret]',
  );
});

test('a secret whose beginning is lost leaves nothing behind, wherever the cut falls', () => {
  const secret = 'abcdefghij'.repeat(3);
  for (let shift = 0; shift <= secret.length + 1; shift += 1) {
    const text = `${'x'.repeat(300_000)}${secret}${'y'.repeat(MOST_STDERR_BYTES - shift)}`;
    const kept = textOf(text, [secret]);
    expect(/^x*(\[secret\])?y+$/.test(kept), `shift ${shift}: ${kept.slice(0, 50)}`).toBe(true);
    expect(kept.length).toBeLessThanOrEqual(MOST_STDERR_BYTES);
  }
});

test('what a terminal would obey is shown as unreadable', () => {
  expect(textOf('one\u001b[31m\ttwo\r\nthree\u0007', [])).toBe('one\ufffd[31m\ttwo\ufffd\nthree\ufffd');
});
