/** What went wrong on boards, in dates, in notifications. */
export const BOARD_BUGS = `
# Tasks jump to the previous day after daylight saving time
bugs | complete | 23 | calendar
Since the clocks changed, everything that I plan for Monday shows on Sunday evening. I'm in Lisbon.
> London, the same since this morning.
> Only all-day tasks here, those with a time are right.
>> [Jonas] That is the clue, thank you! All-day dates were stored as midnight in your zone. On it.
> Missed a delivery because of this. Please be quick.
>> [Priya] I'm sorry. I've written to you directly.
! [Jonas] Fixed, and every date that was moved by it is back where it was. All-day dates have no time zone any more, so this cannot come back in autumn.

# Due dates are one day early for colleagues in Auckland
bugs | complete | 3 | calendar
I set Friday, she sees Thursday.
> Sydney, same.
= Tasks jump to the previous day after daylight saving time

# Dragging a card scrolls the board instead
bugs | complete | 17 | boards, mobile
On a touch screen I win one time out of three.
> Windows tablet too, not only phones.
> A long press before dragging would fix it for me.
>> [Aiko] That's what we're testing. How long feels right? 200 ms?
>>> 200 is good. 300 felt like it was broken.
! [Aiko] Press for a moment, the card lifts, then drag. Scrolling is scrolling again.

# Board loads for ever with more than 2,000 cards
bugs | complete | 13 | performance, boards
White page, fan on full speed, then "page unresponsive".
> 2,800 cards, same.
> Firefox gets there after a minute, Chrome gives up.
> [Jonas] Thank you for the recording, I can see it clearly: we draw all of them, visible or not.
>> [Jonas] First part is out: five times faster. The real cure comes with the next release.
> 5,100 cards. I'm not proud.
> [later] Opens in under a second now. Wow.
! [Jonas] Boards draw only what you see. Ten thousand cards open in about 300 ms on an average laptop.

# Everybody gets notified when I reorder a checklist
bugs | complete | 6 | notifications
Eleven e-mails to eleven people because I moved "milk" above "bread".
> I was one of the eleven.
> I was another one. Milk first is right, by the way.
! [Priya] Reordering is silent now. Our apologies to all eleven.

# Notification says "someone" instead of a name
bugs | complete | 1 | notifications
"Someone commented on Budget." It was me. It's not even an existential question, I really am someone.
> It happens when the name has an apostrophe. I'm an O'Brien.
>> [Priya] You solved it! D'Angelo and N'Dour confirmed.
! [Jonas] Names with apostrophes are people again.

# Mention does not work for names with umlauts
bugs | complete | 4 | notifications, localization
Typing @Jür finds nobody, @Jurgen neither. His name is Jürgen.
> @Søren, @Zoë, @François, same problem.
> Works on Android, not in the browser.
! [Jonas] Fixed: you may type with or without accents.

# Recurring task created twice
bugs | complete | 8 | automation
Both "Invoice March" exist. Nearly sent both.
> Happened for us at midnight on the first.
> Only tasks that are assigned to a guest, as far as I can tell?
>> [Jonas] No, it was bad luck with two servers at the same second. But your guess helped to rule that out.
! [Jonas] One task, one time: a lock was missing. Doubles of the last days were removed where nobody had touched them.
& Recurring tasks

# Recurring task disappears when its project is archived and restored
bugs | open | 1 | automation
The tasks come back, the repetition does not.
> Can confirm.
> [Priya] Reproduced, thanks for the clear steps. Until it's fixed: open the task once and save the date, then it repeats again.
> The workaround works, thank you Priya.
& Recurring tasks

# Filter resets when I open a card
bugs | complete | 11 | search, boards
Filter by me, open card, close card: everybody's cards again. Forty times a day.
> Forty is low.
> Browser back button also loses it.
> [later] Sending a filtered link to my colleague is a feature of its own. Thanks!
! [Tomás] Filters are part of the address now. They survive cards, the back button, and you can send them to a colleague.

# Search finds archived tasks first
bugs | in_progress | 5 | search
Looking for "brochure" I get nine from years ago and then the one of this week.
> Sort by date would be fine for me.
> [Jonas] Age will count in the ranking soon, archived ones go to the end.
! [Jonas] The new ranking runs for a part of the workspaces. If yours is among them, tell us how it feels.

# Copying a project loses the order of columns
bugs | complete | 2 | boards, templates
They come out alphabetical: Archive, Backlog, Doing, Done. Almost poetic.
> To do went to the end, fitting.
! [Jonas] The order is kept now.

# Timeline bars overlap when two tasks have the same dates
bugs | complete | 4 | timeline
One hides the other, so half of our plan is invisible.
> Clicking on the visible one sometimes opens the hidden one.
! [Tomás] They stack now, and the row grows.
& Timeline view

# Timeline prints cut off on the right side
bugs | open | 2 | timeline, export
The last month is missing on paper, in every browser I tried.
> Landscape, A3, 60 percent. That's my recipe.
> [Tomás] The PDF export that we're building makes printing unnecessary, but I will look at the cut.
= Export the timeline as an image or PDF

# Calendar shows tasks of people who left
bugs | open | 1 | calendar
Ghosts. There's no way to reassign what one cannot open.
> "Hand over" on the members page finds them, try that.
>> [me] It did! Still a bug, but I'm not haunted any more.
> [Priya] Ghosts will be listed on the members page soon, so that nobody has to hunt them.

# The number of cards in a column is wrong
bugs | closed | 1 | reporting
The column says 14, I count 11. Three times.
> [Jonas] Could you check whether a filter is on? Three of them would have to be somebody else's.
>> [me] ... yes. They do. Sorry!
! [Jonas] It counted right, but it didn't say what. It now tells how many cards a filter hides.

# Week numbers are off by one in January
bugs | complete | 3 | calendar, localization
The 1st of January is in week 53, Harbor says week 1.
> ISO 8601, the week with the first Thursday.
>> We should print that on mugs.
! [Jonas] Corrected, with tests up to the year 2100. And mugs for the first three reporters, write to Priya.
& Week numbers in the calendar

# Confetti in the middle of a sad project
bugs | complete | 7 | accessibility
We closed a project because a client died. Harbor threw confetti. I know that it's nobody's fault.
> I'm sorry for your loss.
> [Maya] I am very sorry. We are switching it off for closing today, and it'll only come when a project is marked as finished, never for archived or cancelled ones.
! [Maya] Changed the same day. Thank you for telling us so kindly.

# Emoji in project names break the export
bugs | complete | 1 | export
The file name becomes something that Windows refuses to open.
> macOS opens it, but sorts it before everything else.
! [Samuel] Emoji are left out of file names, and stay in the files.

# Column cannot be deleted although it's empty
bugs | under_review | 1 | boards
"This column has 3 cards." It has none.
> Archived ones count, I believe.
> [Priya] Right, three archived cards live there. The message should say so, and offer to move them. Passing it on.
> Same here, nine archived ones.

# Daily summary lists tasks that are done
bugs | complete | 4 | notifications
I finish things at night. At 8 it tells me to do them.
> It's collected at midnight, I guess.
! [Priya] It is put together right before sending now.
& Daily summary instead of forty e-mails

# Notifications on two phones, reading on one leaves the other
bugs | open | 2 | notifications, mobile
Private and work phone. I read everything twice.
> Tablet makes it three.
> [Aiko] Known and annoying. The systems allow taking back a notification, we only have to do it.
> Desktop plus phone is the same story.
`;
