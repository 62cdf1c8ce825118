"""Judgement of a broker by its answers: any broker that listens, without an adapter."""

from wireproof.proof.broker_judge.answer_judge import AnswerJudge
from wireproof.proof.broker_judge.answers_phase import judge_answers, play_answers
from wireproof.proof.broker_judge.beside_phase import judge_beside
from wireproof.proof.broker_judge.broker_under_test import BrokerDownError, BrokerUnderTest
from wireproof.proof.broker_judge.handshake_phase import first_exchange, judge_handshake
from wireproof.proof.broker_judge.refused_phase import judge_refusals
from wireproof.proof.broker_judge.stream_phase import judge_stream
from wireproof.proof.broker_judge.tags_phase import judge_tags
from wireproof.proof.broker_judge.wrong_bytes_phase import judge_wrong_bytes

__all__ = [
    "AnswerJudge",
    "BrokerDownError",
    "BrokerUnderTest",
    "first_exchange",
    "judge_answers",
    "judge_beside",
    "judge_handshake",
    "judge_refusals",
    "judge_stream",
    "judge_tags",
    "judge_wrong_bytes",
    "play_answers",
]
