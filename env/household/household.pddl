; The rules of Hone's household games. Types, predicates, actions and parameters bear the names that ALFWorld's
; engine knows, so that its tools can read the games; the rules are written for these games.

(define (domain household)
  (:requirements :adl :typing)

  (:types agent location receptacle object rtype otype)

  (:predicates
    ; fixed for a game
    (receptacleAtLocation ?r - receptacle ?l - location)
    (receptacleType ?r - receptacle ?rt - rtype)
    (objectType ?o - object ?ot - otype)
    (canContain ?rt - rtype ?ot - otype)
    (openable ?r - receptacle)
    (pickupable ?o - object)
    (cleanable ?o - object)
    (heatable ?o - object)
    (coolable ?o - object)
    (toggleable ?o - object)
    (sliceable ?o - object)

    ; changed by playing
    (atLocation ?a - agent ?l - location)
    (objectAtLocation ?o - object ?l - location)
    (inReceptacle ?o - object ?r - receptacle)
    (opened ?r - receptacle)
    (holds ?a - agent ?o - object)
    (holdsAny ?a - agent)
    (isClean ?o - object)
    (isHot ?o - object)
    (isCool ?o - object)
    (isOn ?o - object)
    (isToggled ?o - object)
    (isSliced ?o - object)
    (checked ?x - object)   ; asked about; no rule reads it, it lets an action that only tells have an effect
  )

  ; ---- moving about -------------------------------------------------------------------------------------------

  (:action GotoLocation
    :parameters (?a - agent ?lStart - location ?lEnd - location ?r - receptacle)
    :precondition (and (atLocation ?a ?lStart) (receptacleAtLocation ?r ?lEnd))
    :effect (and (not (atLocation ?a ?lStart)) (atLocation ?a ?lEnd))
  )

  (:action OpenObject
    :parameters (?a - agent ?l - location ?r - receptacle)
    :precondition (and
      (atLocation ?a ?l) (receptacleAtLocation ?r ?l)
      (openable ?r) (not (opened ?r)))
    :effect (and (opened ?r) (checked ?r))
  )

  (:action CloseObject
    :parameters (?a - agent ?l - location ?r - receptacle)
    :precondition (and
      (atLocation ?a ?l) (receptacleAtLocation ?r ?l)
      (openable ?r) (opened ?r))
    :effect (not (opened ?r))
  )

  ; ---- one thing at a time in the hands -----------------------------------------------------------------------

  (:action PickupObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
    :precondition (and
      (atLocation ?a ?l) (receptacleAtLocation ?r ?l)
      (inReceptacle ?o ?r) (pickupable ?o)
      (or (opened ?r) (not (openable ?r)))
      (not (holdsAny ?a)))
    :effect (and
      (holds ?a ?o) (holdsAny ?a)
      (not (inReceptacle ?o ?r)) (not (objectAtLocation ?o ?l)))
  )

  (:action PutObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle ?ot - otype ?rt - rtype)
    :precondition (and
      (holds ?a ?o)
      (atLocation ?a ?l) (receptacleAtLocation ?r ?l)
      (or (opened ?r) (not (openable ?r)))
      (objectType ?o ?ot) (receptacleType ?r ?rt) (canContain ?rt ?ot))
    :effect (and
      (inReceptacle ?o ?r) (objectAtLocation ?o ?l)
      (not (holds ?a ?o)) (not (holdsAny ?a)))
  )

  ; ---- what appliances and tools do to a thing -----------------------------------------------------------------

  (:action CleanObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and
      (holds ?a ?o) (cleanable ?o)
      (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (receptacleType ?r SinkBasinType))
    :effect (isClean ?o)
  )

  (:action HeatObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and
      (holds ?a ?o) (heatable ?o)
      (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (receptacleType ?r MicrowaveType))
    :effect (and (isHot ?o) (not (isCool ?o)))
  )

  (:action CoolObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and
      (holds ?a ?o) (coolable ?o)
      (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (receptacleType ?r FridgeType))
    :effect (and (isCool ?o) (not (isHot ?o)))
  )

  (:action ToggleObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
    :precondition (and
      (toggleable ?o) (inReceptacle ?o ?r)
      (atLocation ?a ?l) (receptacleAtLocation ?r ?l))
    :effect (and
      (isToggled ?o)
      (when (isOn ?o) (not (isOn ?o)))
      (when (not (isOn ?o)) (isOn ?o)))
  )

  (:action SliceObject
    :parameters (?a - agent ?l - location ?co - object ?ko - object)
    :precondition (and
      (holds ?a ?ko) (or (objectType ?ko KnifeType) (objectType ?ko ButterKnifeType))
      (sliceable ?co) (atLocation ?a ?l) (objectAtLocation ?co ?l))
    :effect (isSliced ?co)
  )

  ; ---- actions that only tell ---------------------------------------------------------------------------------

  (:action look
    :parameters (?a - agent ?l - location)
    :precondition (atLocation ?a ?l)
    :effect (checked ?l)
  )

  (:action examineReceptacle
    :parameters (?a - agent ?r - receptacle)
    :precondition (exists (?l - location) (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l)))
    :effect (checked ?r)
  )

  (:action examineObject
    :parameters (?a - agent ?o - object)
    :precondition (holds ?a ?o)
    :effect (checked ?o)
  )

  (:action inventory
    :parameters (?a - agent)
    :precondition ()
    :effect (checked ?a)
  )

  (:action help
    :parameters (?a - agent)
    :precondition ()
    :effect (checked ?a)
  )
)
