/** Faults of a file as a whole: nothing of it is imported. */
import { ToolError } from '@parley/kit';

/** The file cannot be read as what it claims to be. */
export class FileFault extends ToolError<'invalid'> {
  constructor(message: string) {
    super('invalid', message);
  }
}

/** The same at a line of the file. */
export function faultAt(line: number, message: string): FileFault {
  return new FileFault(`line ${line}: ${message}`);
}
