/** The field by which lists go on: the id of the last one that somebody has. */
import * as z from 'zod';

const FORMS = {
  exec: /^exec_[0-9a-z]{26}$/,
  run: /^run_[0-9a-z]{26}$/,
  notification: /^notification_[0-9a-z]{26}$/,
};

/** Ids of one kind, which sort by time; with any other text a list would end somewhere. */
export const before = (kind: keyof typeof FORMS) =>
  z
    .string()
    .refine((text) => FORMS[kind].test(text), `must be an id of this list, ${kind}_...`)
    .optional()
    .describe('The id of the last one that you have');
