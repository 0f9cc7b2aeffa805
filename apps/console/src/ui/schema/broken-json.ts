/** Owns text that shall become JSON and is none yet. */

/** Stands for the value until the text is mended, so that a form with it is not sent as if nothing had been typed. */
export class BrokenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}
