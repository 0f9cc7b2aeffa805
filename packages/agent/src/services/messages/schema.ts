/** The tables of messages between agents, as queries see them. */
import type { AgentTables } from '../../schema.ts';

export type MessageStatus = 'queued' | 'claimed' | 'replied' | 'failed';

/** What one agent said to another: a message, or the reply to one. */
export interface MessageRow {
  id: string;
  organization_id: string;
  /** Null: an agent of another server. */
  from_agent: string | null;
  /** Null when the recipient was not known. */
  to_agent: string | null;
  thread: string;
  /** 1 when the sender named no thread, and this message began one. */
  began_thread: number;
  text: string;
  text_hash: string;
  status: MessageStatus;
  /** Why it failed. */
  code: string | null;
  /** The depth of the sender. */
  depth: number;
  unattended: number;
  /** The message that this is the reply to. */
  reply_to: string | null;
  /** When it came into the inbox; null: it was refused. */
  accepted_at: number | null;
  /** Until when the sender waits for the reply; null: it does not. */
  wait_until: number | null;
  /** What its sender paid with. */
  charge_id: string | null;
  /** Who has claimed it. */
  holder: string | null;
  lease_until: number | null;
  created_at: number;
  updated_at: number;
}

export type BreakerState = 'closed' | 'open' | 'half_open';

/** The circuit of a recipient. */
export interface BreakerRow {
  organization_id: string;
  to_agent: string;
  state: BreakerState;
  /** In a row. */
  failures: number;
  successes: number;
  opened_at: number | null;
  /** The message that tries whether the recipient works again. */
  trial: string | null;
  trial_until: number | null;
  created_at: number;
  updated_at: number;
}

/** Somebody who watches an inbox. */
export interface WatcherRow {
  id: string;
  organization_id: string;
  agent_id: string;
  until: number;
  created_at: number;
}

export interface MessageTables extends Pick<AgentTables, 'agents'> {
  agent_messages: MessageRow;
  agent_breakers: BreakerRow;
  agent_watchers: WatcherRow;
}
