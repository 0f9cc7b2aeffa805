/** Commands to paste, as they run where this process was started. */
import { commandWord } from '../config.ts';
import { word } from './doctor/shell-word.ts';

/** A command of Parley in one line, each word in quotes that needs them. */
export function commandLine(...words: readonly string[]): string {
  return [commandWord(), ...words.map(word)].join(' ');
}
