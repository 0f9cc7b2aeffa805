/** Owns what to do where a program cannot be added from here: the line for the machine that Parley runs on. */
import { CopyButton } from '../../ui/copy-button.tsx';
import { commandWords } from './command-words.ts';

/** Says so before the form is filled in, and makes the line of what is typed. */
export function NoPrograms({ title, line }: { readonly title: string; readonly line: string }) {
  const words = commandWords(line);
  const command = words.length === 0 ? 'COMMAND' : words.map(shellWord).join(' ');
  const whole = `npm run -s parley -- connect add ${title.trim() === '' ? 'NAME' : shellWord(title.trim())} -- ${command}`;
  return (
    <div className="connections-elsewhere" role="note">
      <p>
        A program runs on the machine of this server, so it is added there and not from a browser. Run this
        line on that machine, in the checkout of Parley, or restart the server with <code>--allow-stdio</code>{' '}
        to add programs here.
      </p>
      <div className="row">
        <code className="grow connections-line">{whole}</code>
        <CopyButton text={whole} label="Copy the line" />
      </div>
    </div>
  );
}

/** A word as a shell takes it whole. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
