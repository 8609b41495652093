"""Textbook domains in our own words, each with a problem whose optimum is known by counting."""

GRIPPER = """
(define (domain two-hands)
  (:requirements :strips :typing)
  (:types room ball hand)
  (:predicates (robot-in ?r - room) (lies-in ?b - ball ?r - room) (empty ?h - hand) (holds ?h - hand ?b - ball))
  (:action walk :parameters (?from ?to - room)
    :precondition (robot-in ?from)
    :effect (and (robot-in ?to) (not (robot-in ?from))))
  (:action grasp :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (lies-in ?b ?r) (robot-in ?r) (empty ?h))
    :effect (and (holds ?h ?b) (not (lies-in ?b ?r)) (not (empty ?h))))
  (:action put :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (holds ?h ?b) (robot-in ?r))
    :effect (and (lies-in ?b ?r) (empty ?h) (not (holds ?h ?b)))))
"""


def gripper(balls: int) -> str:
    """Carry all balls from one room to the other, two at a time: `3 * balls - 1` steps if their number is even."""
    names = [f"ball{number}" for number in range(balls)]
    here = " ".join(f"(lies-in {name} kitchen)" for name in names)
    there = " ".join(f"(lies-in {name} garden)" for name in names)
    return f"""
(define (problem carry) (:domain two-hands)
  (:objects kitchen garden - room left right - hand {" ".join(names)} - ball)
  (:init (robot-in kitchen) (empty left) (empty right) {here})
  (:goal (and {there})))
"""


BLOCKS = """
(define (domain tower)
  (:requirements :strips)
  (:predicates (over ?x ?y) (on-table ?x) (free ?x) (idle) (held ?x))
  (:action take :parameters (?x)
    :precondition (and (free ?x) (on-table ?x) (idle))
    :effect (and (held ?x) (not (on-table ?x)) (not (free ?x)) (not (idle))))
  (:action lay :parameters (?x)
    :precondition (held ?x)
    :effect (and (on-table ?x) (free ?x) (idle) (not (held ?x))))
  (:action stack :parameters (?x ?y)
    :precondition (and (held ?x) (free ?y))
    :effect (and (over ?x ?y) (free ?x) (idle) (not (held ?x)) (not (free ?y))))
  (:action unstack :parameters (?x ?y)
    :precondition (and (over ?x ?y) (free ?x) (idle))
    :effect (and (held ?x) (free ?y) (not (over ?x ?y)) (not (free ?x)) (not (idle)))))
"""

SUSSMAN = """
(define (problem sussman) (:domain tower)
  (:objects a b c)
  (:init (on-table a) (on-table b) (over c a) (free c) (free b) (idle))
  (:goal (and (over a b) (over b c))))
"""
"""Sussman's anomaly: c off a, then b on c, then a on b, two steps each."""

LOGISTICS = """
(define (domain post)
  (:requirements :strips :typing)
  (:types place city thing - object  airport - place  vehicle parcel - thing  truck plane - vehicle)
  (:predicates (part-of ?p - place ?c - city) (at ?t - thing ?p - place) (inside ?x - parcel ?v - vehicle))
  (:action load :parameters (?x - parcel ?v - vehicle ?p - place)
    :precondition (and (at ?v ?p) (at ?x ?p))
    :effect (and (inside ?x ?v) (not (at ?x ?p))))
  (:action unload :parameters (?x - parcel ?v - vehicle ?p - place)
    :precondition (and (at ?v ?p) (inside ?x ?v))
    :effect (and (at ?x ?p) (not (inside ?x ?v))))
  (:action drive :parameters (?t - truck ?from ?to - place ?c - city)
    :precondition (and (at ?t ?from) (part-of ?from ?c) (part-of ?to ?c) (not (= ?from ?to)))
    :effect (and (at ?t ?to) (not (at ?t ?from))))
  (:action fly :parameters (?a - plane ?from ?to - airport)
    :precondition (at ?a ?from)
    :effect (and (at ?a ?to) (not (at ?a ?from)))))
"""

LETTER = """
(define (problem letter) (:domain post)
  (:objects bonn rome - city  bonn-home rome-home - place  bonn-air rome-air - airport
            van cab - truck  jet - plane  letter - parcel)
  (:init (part-of bonn-home bonn) (part-of bonn-air bonn) (part-of rome-home rome) (part-of rome-air rome)
         (at van bonn-air) (at cab rome-air) (at jet rome-air) (at letter bonn-home))
  (:goal (at letter rome-home)))
"""
"""Van home, load, back, unload; the jet comes, load, back, unload; load, cab home, unload."""

ELEVATOR = """
(define (domain lift)
  (:requirements :strips :typing)
  (:types floor guest)
  (:predicates (from ?g - guest ?f - floor) (to ?g - guest ?f - floor) (above ?low ?high - floor)
               (aboard ?g - guest) (served ?g - guest) (lift-at ?f - floor))
  (:action board :parameters (?f - floor ?g - guest)
    :precondition (and (lift-at ?f) (from ?g ?f))
    :effect (aboard ?g))
  (:action leave :parameters (?f - floor ?g - guest)
    :precondition (and (lift-at ?f) (to ?g ?f) (aboard ?g))
    :effect (and (served ?g) (not (aboard ?g))))
  (:action up :parameters (?a ?b - floor)
    :precondition (and (lift-at ?a) (above ?a ?b))
    :effect (and (lift-at ?b) (not (lift-at ?a))))
  (:action down :parameters (?a ?b - floor)
    :precondition (and (lift-at ?a) (above ?b ?a))
    :effect (and (lift-at ?b) (not (lift-at ?a)))))
"""

TWO_GUESTS = """
(define (problem two-guests) (:domain lift)
  (:objects f0 f1 f2 - floor ann bob - guest)
  (:init (above f0 f1) (above f0 f2) (above f1 f2) (lift-at f0) (from ann f1) (to ann f0) (from bob f0) (to bob f1))
  (:goal (and (served ann) (served bob))))
"""
"""Bob in, up, bob out, ann in, down, ann out."""

TRANSPORT = """
(define (domain haul)
  (:requirements :typing :action-costs)
  (:types town thing space - object  lorry crate - thing)
  (:predicates (road ?a ?b - town) (at ?x - thing ?t - town) (in ?c - crate ?l - lorry)
               (room ?l - lorry ?s - space) (next ?less ?more - space))
  (:functions (length ?a ?b - town) - number (total-cost) - number)
  (:action drive :parameters (?l - lorry ?a ?b - town)
    :precondition (and (at ?l ?a) (road ?a ?b))
    :effect (and (at ?l ?b) (not (at ?l ?a)) (increase (total-cost) (length ?a ?b))))
  (:action load :parameters (?l - lorry ?t - town ?c - crate ?less ?more - space)
    :precondition (and (at ?l ?t) (at ?c ?t) (next ?less ?more) (room ?l ?more))
    :effect (and (in ?c ?l) (room ?l ?less) (not (at ?c ?t)) (not (room ?l ?more)) (increase (total-cost) 1)))
  (:action unload :parameters (?l - lorry ?t - town ?c - crate ?less ?more - space)
    :precondition (and (at ?l ?t) (in ?c ?l) (next ?less ?more) (room ?l ?less))
    :effect (and (at ?c ?t) (room ?l ?more) (not (in ?c ?l)) (not (room ?l ?less)) (increase (total-cost) 1))))
"""

DETOUR = """
(define (problem detour) (:domain haul)
  (:objects a b c - town  lorry - lorry  crate - crate  none one - space)
  (:init (road a b) (road b c) (road a c) (= (length a b) 2) (= (length b c) 3) (= (length a c) 9)
         (at lorry a) (at crate a) (room lorry one) (next none one) (= (total-cost) 0))
  (:goal (at crate c))
  (:metric minimize (total-cost)))
"""
"""Through b costs 5 where the straight road costs 9; loading and unloading cost 1 each: 7 in four steps."""

BRIEFCASE = """
(define (domain briefcase)
  (:requirements :adl)
  (:types place item)
  (:predicates (case-at ?p - place) (item-at ?i - item ?p - place) (packed ?i - item) (locked ?p - place))
  (:action carry :parameters (?from ?to - place)
    :precondition (and (case-at ?from) (not (= ?from ?to)) (or (not (locked ?to)) (exists (?i - item) (packed ?i))))
    :effect (and (case-at ?to) (not (case-at ?from))
                 (forall (?i - item) (when (packed ?i) (and (item-at ?i ?to) (not (item-at ?i ?from)))))))
  (:action pack :parameters (?i - item ?p - place)
    :precondition (and (case-at ?p) (item-at ?i ?p) (not (packed ?i)))
    :effect (packed ?i))
  (:action unpack :parameters (?i - item)
    :precondition (packed ?i)
    :effect (not (packed ?i))))
"""

MORNING = """
(define (problem morning) (:domain briefcase)
  (:objects home office - place pen book - item)
  (:init (case-at home) (item-at pen home) (item-at book home) (locked office))
  (:goal (and (forall (?i - item) (item-at ?i office)) (imply (packed pen) (not (packed book))))))
"""
"""Pack both, carry, and unpack one of them: 4 steps."""

KNOWN_OPTIMA = {
    "gripper": (GRIPPER, gripper(4), 11),
    "blocks": (BLOCKS, SUSSMAN, 6),
    "logistics": (LOGISTICS, LETTER, 11),
    "elevator": (ELEVATOR, TWO_GUESTS, 6),
    "transport": (TRANSPORT, DETOUR, 7),
    "briefcase": (BRIEFCASE, MORNING, 4),
}
