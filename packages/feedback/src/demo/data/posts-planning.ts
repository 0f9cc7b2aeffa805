/** What people wish for in planning: tasks, repetition, dependencies, estimates, templates. */
export const PLANNING_POSTS = `
# Recurring tasks
features | complete | 128 | automation
Every first Monday we do the same eleven things: invoices, backups, the newsletter draft. I copy last month's list by hand and always forget one. Please let a task repeat by itself.
> Yes! Payroll reminders are the only reason I still keep a second to-do app around.
>> Same here, except it's watering the office plants. They have died twice.
>>> Laughed, then looked at our own plants.
> It has to understand "last working day of the month", not only "every 30 days". That detail decides whether we can use it.
>> [Maya] Good point, thank you. We are collecting odd patterns like that one. Which others do you live by?
>>> Every second Thursday, and "three days after the previous one was done".
> [later] Moved all 40 of our monthly chores over this morning. Took fifteen minutes, and I have not thought about them since.
! [Maya] Recurring tasks are here. Daily, weekly, monthly and yearly, working days only if you like, and "some days after the last one was finished". You find it under the due date.

# Repeat a task a number of days after it was completed
features | complete | 5 | automation
Our machine has to be serviced 90 days after the last service, whenever that really happened. A fixed calendar pattern is wrong for us.
> Same with blood tests in our practice, it always counts from the real date.
= Recurring tasks

# Task dependencies: this one cannot start before that one
features | in_progress | 102 | timeline
We build trade fair stands. The floor comes before the walls, the walls come before the lights. Harbor happily shows me the lights for tomorrow while the floor is still in Rotterdam.
> Would be enough for me if a blocked task were greyed out and said what it waits for.
>> And get a notification once it is free!
> Please, please move the followers along when the first one slips. Dragging twenty bars by hand is how I spend my Fridays.
>> [Jonas] That is the hard half, and we want to get it right: you will be asked before anything moves.
> [Aiko, private] Mobile needs at least the read-only part in the same release, otherwise we will hear about it.
! [Maya] We are building this now. The first version has "waits for" between any two tasks of a workspace and a warning when dates contradict. Moving the chain comes right after.

# Subtasks with their own due date and owner
features | planned | 66 | boards
A checklist is fine for packing bags, but "Launch website" contains work of four people. Today I make four cards and a naming scheme, and everybody hates the naming scheme.
> Our scheme is [WEB-1], [WEB-1a], [WEB-1b]. It is awful. Plus one.
> How deep should it go? I would cap it at one level, seriously. We came from a tool with endless nesting and nobody found anything.
>> One level. Two at most. Past that it's a project.
>>> [Tomás] We think so too: one level, shown inside the parent and on the owner's own list.
! [Maya] Planned for after dependencies, since both touch the same part of the data model.

# Templates for whole projects
features | complete | 78 | templates
We onboard about three clients per month and each gets the same 34 tasks. Duplicating an old project also copies the old comments, the old files and one very unprofessional joke.
> The joke part hit close to home.
> Relative dates would make this perfect: "kick-off + 5 days".
>> Exactly, otherwise I still correct 34 dates.
> [later] Used it for two clients now. The relative dates are so good.
! [Tomás] Project templates are out, with dates relative to the start. Make one from any project in its menu; comments and files stay behind.

# Variables in templates
features | open | 3 | templates
When I start a project from a template I'd like to be asked for the client name once, and have it appear in all task titles where I wrote a placeholder.
> We search and replace "CLIENT" in an export right now. Not proud.
> [Tomás] Noted! How many different placeholders would you use in one template, roughly?
>> [me] Client, city and contract number. Three would do.
> Would love it in checklist items too.
& Templates for whole projects

# Estimates in hours next to a task
features | planned | 46 | reporting
Nothing fancy. A number. And the sum at the bottom of the column, so I can see that I promised 61 hours for next week.
> The sum is the feature.
> Points instead of hours please, my team will revolt over hours.
>> Could be a workspace setting what the unit is called. We estimate in "mornings".
>>> [Jonas] I love mornings as a unit.
! [Maya] One number per task, sums per column and per person, and you choose the unit's name. Planned for spring.

# Time tracking with start and stop
features | under_review | 33 | reporting
I bill by the hour. A little play button on the card would save me from switching to another app forty times a day.
> As long as it can be switched off completely for teams like ours. We left a company over time tracking.
>> Fully agree, must be optional.
> Would already help if the existing trackers could start from a Harbor card, see the Integrations board.
> [Maya, pin] We are torn on this one: it is a product of its own. We're talking to ten of you over the next weeks before deciding.
> [Priya, private] Ask them about payroll exports in the interviews. That's where it would never end.

# Start date as well as due date
features | complete | 39 | timeline
A task that takes nine days looks the same as one that takes ten minutes, because both only have an end.
> And then show it as a bar on the calendar, not as a dot on the last day.
> Would this also allow "not before"? Some permits only open on a date.
>> [Jonas] Yes, a start in the future hides it from Today until then.
> [later] Took me a second to find it (click the date, then the little arrow), but great.
! [Jonas] Done: every task can have a start. The calendar and the timeline draw it as a bar.

# Milestones
features | planned | 20 | timeline
Something that has a date but no work. "Hand over the keys." Right now it's a task assigned to nobody and my manager asks every week who is responsible for it.
> A diamond on the timeline is all I ask for.
> If a milestone could list which tasks must be finished before it, we'd stop maintaining a spreadsheet.
>> [Maya] That follows from dependencies almost for free, so yes.
> Ours is "tax office deadline". It moves for nobody.

# Bulk edit: select many cards, change them together
features | complete | 61 | keyboard, boards
Thirty-two tasks from one person who left the company. Thirty-two times: open, click the owner, choose, close. My wrist filed a complaint.
> shift+click like in a mail program please
> Also bulk delete, with an undo that really works.
>> An undo toast for ten seconds. Everyone else has one.
> [later] Selecting with shift works so nicely. The bar at the bottom is tiny on my 4K screen, though.
>> [Tomás, later] We made it larger in the release of this week. Thanks for telling us.
! [Jonas] Shipped: hold shift or drag a box around cards, then change owner, dates, tags or column, all with undo.

# Natural language dates when typing a task
features | complete | 27 | keyboard
"Call the printer tomorrow 3pm" should know what tomorrow 3pm means.
> In German too, please: "übermorgen" is a word we use a lot.
>> Et en français, s'il vous plaît!
> Only if I can say no. I once had a task named "Friday" turned into a date.
>> [Jonas] Backspace takes it back and keeps the word. Tested with a certain film from 2009, "Friday".
! [Jonas] It is in: English, German, French, Spanish and Dutch for a start. Press backspace to keep the words as they are.

# Snooze a task
features | open | 15 | notifications
I don't want to change its date, I just don't want to see it before Thursday.
> This is the only thing I miss from my e-mail app.
> Wouldn't a start date in the future do the same?
>> [me] Not quite, a start date tells everybody something. Snoozing is only between me and my list.
> Snooze "until somebody answers" is the real dream.

# Priorities
features | closed | 36 | boards
Low, normal, high. Please.
> With colors, red for high.
> We had them elsewhere. After a month everything was high.
>> That is a people problem, not a feature problem.
>>> It became a feature problem when we got "highest" and "blocker".
> [Maya] Have you tried the order inside a column? The card on top is the most important one; you can also sort any list by that order.
>> Works within one board. Not across five projects, where I need it.
! [Maya] We decided against a priority field. The order of cards says the same without inflation, and "My tasks" now has a hand-made order across projects. Tags remain for those who want a word for it.

# Order "My tasks" by hand across projects
features | complete | 25 | boards
I have tasks in seven projects. Let me drag them into the order in which I will really do them today.
> And a line that says: below this is not today.
>> A line would be wonderful.
> [later] Seeing all seven projects in one list that I can rearrange calmed me down more than my meditation app.
! [Tomás] Drag away. The line is there too: everything above it is today.

# Private tasks inside a shared project
features | under_review | 9 | permissions
Sometimes I need a note to myself next to the team's work ("ask Ben whether he's OK"), and today it's either visible to everyone or in a notebook at home.
> Careful, the moment a project has hidden tasks its numbers stop making sense to the others.
>> Could be left out of all counts.
> [Maya] Interesting tension. We'll sketch it and come back.
> My workaround is a project with one member. Me. It's lonely in there.

# Convert a comment into a task
features | complete | 21 | editor
Half of our comments are tasks in disguise.
> From mobile too, that's where I read them.
> The new task should link back to the comment, otherwise context is lost.
>> [Tomás] It does, in both directions.
> [later] My favourite small feature of the year.
! [Tomás] Hover over a comment, choose "Make a task". The link goes both ways.

# Archive done tasks automatically after some days
features | complete | 18 | automation, performance
Our Done column has 1,900 cards. It's a museum.
> 1,900, rookie numbers. We have 4,300 and the board takes four seconds.
>> [Jonas] We'll fix the four seconds no matter what. Send me the name of the workspace?
> Please not for everybody by default. I like seeing what we did in a month.
! [Jonas] Every board can now archive done cards after 7, 14, 30 or 90 days. Off by default. And boards with many cards only load what they show.

# Undo everywhere
features | planned | 41 | quick win
I dragged a card and the phone rang. Now I do not know where it came from. Ctrl+Z did nothing, or worse, undid a word in the description.
> There was a whole column I "moved" last week.
> Even just "X moved this from A to B two minutes ago" with a revert button would do.
>> [Jonas] The activity list of a card shows it already, you have to know it's there. A real undo is what we want.
! [Maya] Planned. First moves, dates and owners, then deletions, then the rest.

# Weekly planning view: unscheduled on the left, days on the right
features | open | 29 | calendar
My ritual every Monday: drag things from a pile into five days. I do it on paper since no tool gets this right. You are close.
> Capacity per day would be lovely, together with estimates.
> Mine is Sunday evening with wine. Same wish.
> [agent] Three other posts describe a planning session like this one: "Estimates in hours next to a task", "Order My tasks by hand across projects" and "Working hours and days off per person". I have linked them for the team.
> [Tomás] If three of you would film one planning session for me (paper is fine!), I'd be very grateful.
>> Sent you mine. Please ignore the cat.

# Working hours and days off per person
features | open | 17 | calendar
Three of us work part time. Harbor keeps planning things onto Wednesday, when nobody but me is in.
> Public holidays too, please by country. We are in four countries.
>> Even by region for Germany and Switzerland, good luck with that.
>>> [Samuel] There are good open data sets for it. We would not type them in ourselves.
> Sick days should be possible without telling everyone the reason.

# Copy a task to another project
features | complete | 12 |
Move exists. Copy doesn't.
> Needed almost daily for us, same product photo task for every product line.
> [later] Comments stay behind, attachments come along. Exactly right.
! [Jonas] Copy sits right next to Move now, and takes the checklist with it.

# Checklist items as dates, not only ticks
features | open | 2 |
In a long checklist I'd like to see when each item was ticked and by whom. It matters for our safety inspections.
> Auditors ask us exactly this.
> [Priya] The activity of the card has it, but I see that scrolling there is no answer for an inspection. Passing it on.
> Fire drills here. Same paper trail.

# Default owner for a column
features | open | 6 | automation
Everything in "Review" belongs to Fatima. Let the column say so.
> With a rule engine this would be one rule.
>> I don't want a rule engine. I want a default owner.
>>> Fair enough.
> And a default due date: three days after it arrives.

# Limit on how many cards a column may hold
features | planned | 11 | boards
Work-in-progress limits. Show the column in red when we break our own promise.
> Red is enough, do not forbid it. Reality always wins.
> Per person limits would be even more interesting, at least for us.
! [Tomás] Planned, and it will be a warning rather than a wall.

# Someday list
features | closed | 4 |
A place for ideas that are not tasks yet, outside of any project.
> We use a project named "Someday" and it works OK.
>> [me] Mine has 300 entries and shows up in all my counts.
> Quiet project is a nice name, by the way.
! [Maya] We will not add a special list, but since June a project can be left out of counts and "My tasks" (project settings, "Quiet project"). That makes a fine Someday.

# Forms: let people outside send us a request as a card
features | in_progress | 55 | permissions
Our colleagues in sales write requests by chat, mail, and on a napkin once. A small form with four questions that becomes a card in the right column.
> Public link, with some protection against bots.
> Would be great if the sender could follow the state without an account.
>> [Tomás] That's in the design: a secret link that shows the column's name and the public comments, nothing else.
> [Priya, private] Seven customers asked support for this in a month. Two of them would upgrade for it.
! [Tomás] In progress. Early access starts next month; leave a comment if your team wants to try it.
> [later] We want to try it!

# Fields of our own: a number, a choice, a date
features | under_review | 50 | boards
Contract value. Supplier. Square metres. We write these into the title in brackets and then sort by nothing.
> Please keep it small. Number, text, choice, date. No formulas.
>> Formulas! (I'm sorry.)
> Only per project, not global. We saw a tool drown in 200 fields.
> [Maya] We hear you, both of you. It is on the list for review this quarter.
> Currency fields need a currency. We sell in three.
> [Jonas, private] Doable on top of tags without a migration, if we never allow formulas. Never.
`;
