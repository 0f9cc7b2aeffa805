/** The sentences for what went wrong with an upstream. */
import { expect, test } from 'vitest';
import { errorOf } from './errors.ts';
import { UpstreamFault } from './link.ts';

const ASKED = {
  title: 'Notes',
  method: 'tools/call',
  isRead: true,
  isModern: true,
  shown: (text: string) => text,
};

test.each([
  ['The server answered 500. Try again later.', 'Notes failed. The server answered 500. Try again later.'],
  ['The server forgets its sessions.', 'Notes failed. The server forgets its sessions. Try again later.'],
  ['', 'Notes failed. Try again later.'],
])('nobody is told twice to try again: %j', (words, message) => {
  expect(errorOf(new UpstreamFault('broken', words), ASKED).message).toBe(message);
});

test('a tool that is another one now is a conflict, of which nothing was sent', () => {
  const fault = new UpstreamFault('changed', 'The tool stands for another request now.', { wasSent: false });
  expect(errorOf(fault, { ...ASKED, isRead: false })).toMatchObject({
    code: 'conflict',
    message: 'A tool of Notes has just changed. List the tools and call it again.',
  });
});
