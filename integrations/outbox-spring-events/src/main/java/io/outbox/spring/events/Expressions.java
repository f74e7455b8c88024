package io.outbox.spring.events;

import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParserContext;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ConcurrentLruCache;

/**
 * Texts with SpEL expressions about an event. They read properties, call methods and, if there is a
 * bean factory, name beans; they reach no types or constructors, as a text may be data.
 * Thread-safe.
 */
final class Expressions {

  private static final String EXPRESSION = "#{";
  private static final int REMEMBERED = 256;
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();

  private final ConcurrentLruCache<String, Expression> parsed =
      new ConcurrentLruCache<>(
          REMEMBERED, text -> PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION));
  private final StandardEvaluationContext context = new StandardEvaluationContext();

  /** {@code beans}: null if expressions can name none. */
  Expressions(BeanFactory beans) {
    context.setPropertyAccessors(List.of(DataBindingPropertyAccessor.forReadOnlyAccess()));
    context.setMethodResolvers(List.of(DataBindingMethodResolver.forInstanceMethodInvocation()));
    context.setConstructorResolvers(List.of());
    context.setTypeLocator(noTypes());
    if (beans != null) {
      context.setBeanResolver(new BeanFactoryResolver(beans));
    }
  }

  private static TypeLocator noTypes() {
    return name -> {
      throw new SpelEvaluationException(SpelMessage.TYPE_NOT_FOUND, name);
    };
  }

  /** The text for this event; null if it is null, or if an expression in it yields null. */
  String evaluate(String text, Object event) {
    if (text == null || !text.contains(EXPRESSION)) {
      return text;
    }
    Expression expression = parsed.get(text);
    return expression instanceof CompositeStringExpression parts
        ? joined(parts.getExpressions(), event)
        : Envelopes.text(expression.getValue(context, event));
  }

  private String joined(Expression[] parts, Object event) {
    StringBuilder text = new StringBuilder();
    for (Expression part : parts) {
      String value = part.getValue(context, event, String.class);
      if (value == null) {
        return null;
      }
      text.append(value);
    }
    return text.toString();
  }
}
