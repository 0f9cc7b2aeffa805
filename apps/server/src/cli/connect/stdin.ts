/** What is read from standard input, never more than it may be. */
import { UsageError } from '../../config.ts';

const MAX_SECRET_BYTES = 8192;

/** All of standard input as text; throws once it is too long. */
export async function textFromStdin(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of process.stdin) {
    // Nobody has set an encoding, so chunks are bytes.
    const bytes = chunk as Buffer;
    sizeBytes += bytes.length;
    if (sizeBytes > maxBytes) throw new UsageError(`Standard input has more than ${maxBytes} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** One secret on standard input, without the line break that most programs write after it. */
export async function secretFromStdin(what: string): Promise<string> {
  const text = (await textFromStdin(MAX_SECRET_BYTES)).trim();
  if (text === '')
    throw new UsageError(`Standard input has nothing. Send ${what} on it, such as from a file with "<".`);
  return text;
}
