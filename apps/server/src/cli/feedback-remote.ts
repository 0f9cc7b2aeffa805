/** `parley mcp feedback --url URL`: the feedback of another server over stdin and stdout; no store is opened. */
import { serveStdio } from '@parley/kit';
import type { Redactor } from '@parley/feedback/remote';
import {
  checkSettings,
  createRemoteFeedback,
  remoteFeedbackToolset,
  remoteGrants,
} from '@parley/feedback/remote';
import type { RemoteChoice } from './remote-choice.ts';
import { VERSION } from '../version.ts';
import { onSignal } from './signals.ts';

const NAME = 'quackback-mcp';

/** Serves until stdin ends or a signal comes; what is wrong with the settings is one line, and nothing starts. */
export async function serveRemoteFeedback({ isExtended, ...settings }: RemoteChoice): Promise<number> {
  // Overwrites the command line that other processes can see, and a key on it.
  process.title = NAME;
  const checked = checkSettings(settings);
  if ('fault' in checked) {
    process.stderr.write(`Error: ${checked.fault}\n`);
    return 1;
  }
  if (checked.warning !== undefined) process.stderr.write(`Warning: ${checked.warning}\n`);
  const feedback = createRemoteFeedback(checked.target, { userAgent: `${NAME}/${VERSION}` });
  const { redactor } = feedback;
  const report = (error: unknown) => process.stderr.write(`${lineOf(error, redactor)}\n`);
  // What Node prints by itself may hold a request with its headers.
  process.on('uncaughtException', (error) => {
    report(error);
    process.exit(1);
  });
  onSignal(() => process.stdin.destroy());
  await serveStdio(
    remoteFeedbackToolset,
    { name: NAME, version: VERSION, title: 'Quackback' },
    {
      services: feedback,
      grants: remoteGrants(isExtended),
      canSubscribe: false,
      outgoing: (message) => redactor.value(message),
      onFault: report,
    },
  );
  await feedback.close();
  return 0;
}

function lineOf(error: unknown, redactor: Redactor): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return redactor.text(text).replaceAll(/\p{Cc}/gu, ' ');
}
