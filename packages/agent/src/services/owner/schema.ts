/** The tables of the line to the owner, as queries see them. */
import type { ChannelType } from '../../adapters/channels/channel.ts';

interface CommonColumns {
  id: string;
  organization_id: string;
  created_at: number;
  updated_at: number;
}

/** A channel of an agent; there is one of each type. */
export interface ChannelRow extends CommonColumns {
  agent_id: string;
  type: ChannelType;
  /** 1 or 0. */
  enabled: number;
  /** Sealed JSON. */
  config: string;
  /** The names in the config as JSON. */
  config_keys: string;
}

export const LEVELS = ['info', 'warning', 'success', 'error'] as const;

export type Level = (typeof LEVELS)[number];

export interface NotificationRow extends CommonColumns {
  agent_id: string;
  level: Level;
  title: string | null;
  message: string;
  /** What makes a notice of the server itself the same one after a crash. */
  notice_key: string | null;
}

export const QUESTION_STATUSES = ['open', 'answered', 'declined', 'timed_out', 'withdrawn'] as const;

export type QuestionStatus = (typeof QUESTION_STATUSES)[number];

export interface QuestionRow extends CommonColumns {
  agent_id: string;
  /** The task that waits for the answer. */
  task_id: string | null;
  question: string;
  /** Texts as JSON; null: any answer. */
  options: string | null;
  context: string | null;
  deadline_at: number;
  status: QuestionStatus;
  answer: string | null;
  /** Counted from 1. */
  option_index: number | null;
  answered_by: string | null;
  answered_at: number | null;
}

export type DeliveryStatus = 'queued' | 'sent' | 'failed';

interface TriedRow extends CommonColumns {
  channel_id: string;
  type: ChannelType;
  status: DeliveryStatus;
  attempts: number;
  next_try_at: number | null;
  error: string | null;
}

export interface DeliveryRow extends TriedRow {
  notification_id: string;
}

export interface DispatchRow extends TriedRow {
  question_id: string;
  /** What the other system calls it; answers are found by it. */
  external_ref: string | null;
  /** Dispatches with the same one are looked at together; null: this channel carries no answers. */
  poll_key: string | null;
}

export interface OwnerTables {
  notification_channels: ChannelRow;
  owner_notifications: NotificationRow;
  owner_questions: QuestionRow;
  notification_deliveries: DeliveryRow;
  owner_question_dispatches: DispatchRow;
}
